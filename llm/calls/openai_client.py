"""The client of every endpoint that speaks OpenAI's chat completions.

Bodies are read here rather than by the SDK's types: servers that speak the protocol leave out, or
add, what they like.
"""

from __future__ import annotations

from typing import Any

import openai

from llm.calls.answer import Usage
from llm.calls.bounded import http_client
from llm.calls.client import Reply
from llm.calls.endpoint import Endpoint
from llm.calls.model_name import ModelName
from llm.calls.replies import (
    a_count,
    a_text,
    document_of,
    fault_of_connection,
    fault_of_status,
    no_answer,
)
from llm.calls.request import Request, Sent


class OpenAIClient:
    """Sends requests by the `openai` SDK, its own retries off."""

    def __init__(self, name: ModelName, endpoint: Endpoint, timeout: float) -> None:
        self._timeout = timeout
        ours = name.provider == "openai"
        self._client = openai.OpenAI(
            api_key=endpoint.key.reveal(),
            base_url=endpoint.url,
            timeout=timeout,
            max_retries=0,
            http_client=http_client(timeout),
            # Other hosts are not told of an organisation at OpenAI.
            default_headers={} if ours else _NO_ORGANISATION,
        )

    def send(self, request: Request, sent: Sent, *, new_limit: bool) -> Reply:
        """Send the request once."""
        more: dict[str, Any] = {}
        more["max_completion_tokens" if new_limit else "max_tokens"] = sent.max_output
        if sent.temperature is not None:
            more["temperature"] = sent.temperature
        if sent.schema:
            schema = {"name": "answer", "strict": True, "schema": request.schema}
            more["response_format"] = {"type": "json_schema", "json_schema": schema}
        messages: list[Any] = [{"role": it.role, "content": it.text} for it in request.messages]
        try:
            raw = self._client.chat.completions.with_raw_response.create(
                model=request.model.model, messages=messages, **more
            )
        except openai.APIStatusError as error:
            headers = error.response.headers
            raise fault_of_status(error.status_code, headers, error.body) from None
        except openai.APIConnectionError as error:
            timed_out = isinstance(error, openai.APITimeoutError)
            raise fault_of_connection(error, timed_out=timed_out, timeout=self._timeout) from None
        version = a_text(raw.headers.get("openai-version"))
        return _read(document_of(raw.content, raw.status_code), version, raw.status_code)

    def close(self) -> None:
        """Close its connections."""
        self._client.close()


_NO_ORGANISATION: Any = {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}


def _read(document: dict[str, Any], version: str | None, status: int) -> Reply:
    """The reply in a chat completion, as far as it is one."""
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise no_answer(document, status)
    stop = a_text(choice.get("finish_reason")) if isinstance(choice, dict) else None
    filtered = "content filter" if stop == "content_filter" else None
    return Reply(
        text=_text(message.get("content")),
        refusal=a_text(message.get("refusal")) or filtered,
        stop=stop,
        model=a_text(document.get("model")),
        api_version=version,
        usage=Usage(
            input=a_count(document, "usage", "prompt_tokens"),
            output=a_count(document, "usage", "completion_tokens"),
            cached=a_count(document, "usage", "prompt_tokens_details", "cached_tokens"),
            reasoning=a_count(document, "usage", "completion_tokens_details", "reasoning_tokens"),
        ),
        status=status,
    )


def _text(content: object) -> str:
    """A message's text: a string, or in parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
