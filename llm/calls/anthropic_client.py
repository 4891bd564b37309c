"""The client of Anthropic's messages; needs the extra `anthropic`."""

from __future__ import annotations

from typing import Any

import anthropic

from llm.calls.answer import Usage
from llm.calls.bounded import http_client
from llm.calls.client import Reply
from llm.calls.endpoint import Endpoint
from llm.calls.replies import (
    a_count,
    a_text,
    document_of,
    fault_of_connection,
    fault_of_status,
    no_answer,
)
from llm.calls.request import Request, Sent


class AnthropicClient:
    """Sends requests by the `anthropic` SDK, its own retries off."""

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        self._timeout = timeout
        self._client = anthropic.Anthropic(
            api_key=endpoint.key.reveal(),
            base_url=endpoint.url,
            timeout=timeout,
            max_retries=0,
            http_client=http_client(timeout),
        )

    def send(self, request: Request, sent: Sent, *, new_limit: bool) -> Reply:
        """Send the request once."""
        del new_limit  # it has one name here
        more: dict[str, Any] = {}
        if sent.temperature is not None:
            # The SDK has dropped the argument, since newer models refuse it; older ones take it.
            more["extra_body"] = {"temperature": sent.temperature}
        if sent.schema:
            more["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
        system = "\n\n".join(it.text for it in request.messages if it.role == "system")
        turns = [it for it in request.messages if it.role != "system"]
        messages: list[Any] = [{"role": it.role, "content": it.text} for it in turns]
        try:
            raw = self._client.messages.with_raw_response.create(
                model=request.model.model,
                max_tokens=sent.max_output,
                system=system,
                messages=messages,
                **more,
            )
        except anthropic.APIStatusError as error:
            headers = error.response.headers
            raise fault_of_status(error.status_code, headers, error.body) from None
        except anthropic.APIConnectionError as error:
            timed_out = isinstance(error, anthropic.APITimeoutError)
            raise fault_of_connection(error, timed_out=timed_out, timeout=self._timeout) from None
        version = a_text(raw.http_request.headers.get("anthropic-version"))
        return _read(document_of(raw.read(), raw.status_code), version, raw.status_code)

    def close(self) -> None:
        """Close its connections."""
        self._client.close()


def _read(document: dict[str, Any], version: str | None, status: int) -> Reply:
    """The reply in a message, as far as it is one."""
    content = document.get("content")
    if not isinstance(content, list):
        raise no_answer(document, status)
    texts = [a_text(it.get("text")) or "" for it in content if isinstance(it, dict)]
    text, stop = "".join(texts), a_text(document.get("stop_reason"))
    return Reply(
        text=text,
        refusal=(text or "no reason given") if stop == "refusal" else None,
        stop=stop,
        model=a_text(document.get("model")),
        api_version=version,
        usage=_usage(document),
        status=status,
    )


def _usage(document: dict[str, Any]) -> Usage:
    """Tokens; what was read from or written to a cache is counted apart there, and read here."""
    plain = a_count(document, "usage", "input_tokens")
    cached = a_count(document, "usage", "cache_read_input_tokens")
    written = a_count(document, "usage", "cache_creation_input_tokens")
    return Usage(
        input=None if plain is None else plain + (cached or 0) + (written or 0),
        output=a_count(document, "usage", "output_tokens"),
        cached=cached,
        reasoning=a_count(document, "usage", "output_tokens_details", "thinking_tokens"),
    )
