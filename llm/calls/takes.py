"""What a model takes of what it could be sent: learnt once, from its server's refusal.

Models that always reason refuse a temperature; some servers know no schema, or call the limit of
an answer by another name. The first call to a model goes alone, so that this is found out once.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from llm.calls.model_name import ModelName
from llm.calls.request import Request, Sent

ALWAYS_REASONING = {"openai": re.compile(r"o\d|gpt-5(?!.*chat)")}
"""Beginnings of models that are known to refuse a temperature, by provider."""

_NAMED = {
    "temperature": re.compile(r"temperature|sampling param"),
    "schema": re.compile(
        r"response_format|json_schema|output_config|output_format|structured output|grammar|schema"
    ),
    "limit": re.compile(r"max_(?:completion_)?tokens"),
}
_REFUSED = re.compile(
    r"unsupported|not? support|n't support|unknown|unrecogni[sz]ed|unexpected|not permitted"
    r"|not allowed|not available|invalid|deprecated|extra |extra_|only the default|must be"
)


class Takes:
    """What one model takes, as far as is known."""

    def __init__(self, name: ModelName) -> None:
        known = ALWAYS_REASONING.get(name.provider)
        self.temperature = known is None or known.match(name.model) is None
        self.schema = True
        self.new_limit = name.provider == "openai"
        """Whether the limit is called `max_completion_tokens` rather than `max_tokens`."""
        self._lock = threading.Lock()
        self._limit_settled = False
        self._begun = False
        self._first_done = threading.Event()

    def sent(self, request: Request) -> Sent:
        """What of a request is sent to it."""
        return Sent(
            request.temperature if self.temperature else None, self.schema, request.max_output
        )

    def learn(self, refused: frozenset[str], sent: Sent, *, new_limit: bool) -> bool:
        """Leave out what was refused; whether the request would now be sent another way."""
        was = (sent.temperature is not None, sent.schema, new_limit)
        with self._lock:
            if "temperature" in refused:
                self.temperature = False
            if "schema" in refused:
                self.schema = False
            if "limit" in refused and not self._limit_settled and new_limit == self.new_limit:
                self.new_limit, self._limit_settled = not self.new_limit, True
            # Another call may have learnt it meanwhile: what counts is what this one was sent.
            return (self.temperature, self.schema, self.new_limit) != was

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A turn to call: the first goes alone, the rest wait until it has ended."""
        with self._lock:
            first, self._begun = not self._begun, True
        if not first:
            self._first_done.wait()
            yield
            return
        try:
            yield
        finally:
            self._first_done.set()


def refused_parameters(says: str, param: str | None = None) -> frozenset[str]:
    """Which parameters a server's words, or the `param` of its error, say it will not take."""
    words = says.lower()
    if _REFUSED.search(words) is None:
        return frozenset()
    where = (param or "").lower()
    named = {name for name, pattern in _NAMED.items() if pattern.search(where)}
    return frozenset(named or {name for name, it in _NAMED.items() if it.search(words)})
