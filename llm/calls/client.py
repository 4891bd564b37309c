"""What a client of a provider is: it sends one request once, and says what came back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from llm.calls.answer import Usage
from llm.calls.endpoint import LOCAL, Endpoint
from llm.calls.model_name import ModelName
from llm.calls.request import Request, Sent
from theory.errors import BadInput


@dataclass(frozen=True)
class Reply:
    """What a server answered; fields as in `Answer`."""

    text: str
    refusal: str | None
    stop: str | None
    model: str | None
    api_version: str | None
    usage: Usage
    status: int


class Client(Protocol):
    """Speaks to one endpoint; may be used by many threads at once."""

    def send(self, request: Request, sent: Sent, *, new_limit: bool) -> Reply:
        """Send the request once; raises `Fault`, with words that may hold a key.

        `new_limit` says that the limit is called `max_completion_tokens`.
        """
        ...

    def close(self) -> None:
        """Close its connections."""
        ...


MakeClient: TypeAlias = Callable[[ModelName, Endpoint, float], Client]
"""Makes the client of a model's provider, with a timeout in seconds."""


def make_client(name: ModelName, endpoint: Endpoint, timeout: float) -> Client:
    """The client of a model's provider: Anthropic's own, or OpenAI's for everybody else.

    That of a model in a file starts its server.
    """
    if name.provider == LOCAL:
        from llm.calls.local_client import LocalClient

        return LocalClient(name, timeout)
    if name.provider != "anthropic":
        from llm.calls.openai_client import OpenAIClient

        return OpenAIClient(name, endpoint, timeout)
    try:
        from llm.calls.anthropic_client import AnthropicClient
    except ModuleNotFoundError as error:
        if error.name != "anthropic":
            raise
        rule = "needs the package anthropic: install the extra `anthropic`"
        raise BadInput("model", str(name), rule) from None
    return AnthropicClient(endpoint, timeout)
