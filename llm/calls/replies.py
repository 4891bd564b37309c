"""Reading what servers send back: errors into faults, bodies into JSON, counts into numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from llm.calls.bounded import TooLarge
from llm.calls.faults import Fault, Kind
from llm.calls.takes import refused_parameters

_KINDS: Mapping[int, Kind] = {
    401: "key",
    402: "quota",
    403: "key",
    404: "model",
    408: "server error",
    409: "server error",
    429: "rate limit",
}


def fault_of_status(status: int, headers: Mapping[str, str], body: object) -> Fault:
    """The fault of an HTTP status that is not 200; `body` is its JSON, or its text."""
    error = body if isinstance(body, Mapping) else {}
    error = error["error"] if isinstance(error.get("error"), Mapping) else error
    says = error.get("message") or error.get("error") or body
    says = says if isinstance(says, str) else json.dumps(says, default=str)
    says = "a page of HTML" if "<html" in says[:2_000].lower() else says or "no reason given"
    code = f"{error.get('code')} {error.get('type')}"
    kind: Kind = _KINDS.get(status, "server error" if status >= 500 else "request")
    refused: frozenset[str] = frozenset()
    if "insufficient_quota" in code or "credit balance" in says.lower():
        kind = "quota"
    elif "model_not_found" in code:
        kind = "model"
    elif "invalid_api_key" in code:
        kind = "key"
    elif kind == "request":
        param = error.get("param")
        refused = refused_parameters(says, param if isinstance(param, str) else None)
        kind = "parameter" if refused else "request"
    return Fault(kind, says, status=status, retry_after=_retry_after(headers), refused=refused)


def fault_of_connection(error: BaseException, *, timed_out: bool, timeout: float) -> Fault:
    """The fault of a connection that broke, or was never made; `error` is an SDK's."""
    cause = error.__cause__
    if isinstance(cause, TooLarge):
        return Fault("too large", str(cause))
    if timed_out:
        return Fault("timeout", f"no whole answer within {timeout:g} s")
    return Fault("connection", str(cause or error) or type(cause or error).__name__)


def document_of(content: bytes, status: int) -> dict[str, Any]:
    """The JSON object of a body; anything else is not an answer."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        beginning = content[:200].decode("utf-8", "replace")
        page = "<html" in beginning.lower() or "<!doctype" in beginning.lower()
        says = "a page of HTML" if page else f"no JSON: {beginning or 'an empty body'}"
        raise Fault("not an answer", says, status=status) from None
    if not isinstance(document, dict):
        raise Fault("not an answer", "JSON, but no object", status=status)
    return document


def no_answer(document: Mapping[str, Any], status: int) -> Fault:
    """The fault of a JSON object that has no answer in it."""
    names = ", ".join(map(str, list(document)[:8]))
    return Fault(
        "not an answer", f"JSON without an answer, with {names or 'no'} fields", status=status
    )


def a_text(value: object) -> str | None:
    """The value if it is a text that is not empty."""
    return value if isinstance(value, str) and value else None


def a_count(of: object, *path: str) -> int | None:
    """The whole number >= 0 at a path of names in nested objects, if there is one."""
    for name in path:
        of = of.get(name) if isinstance(of, Mapping) else None
    return of if isinstance(of, int) and not isinstance(of, bool) and of >= 0 else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from `Retry-After`, which may also be a date; None where it says nothing."""
    text = headers.get("retry-after", "")
    try:
        seconds = float(text)
    except ValueError:
        try:
            until = parsedate_to_datetime(text)
        except ValueError:
            return None
        until = until if until.tzinfo else until.replace(tzinfo=UTC)
        seconds = (until - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if seconds < float("inf") else None
