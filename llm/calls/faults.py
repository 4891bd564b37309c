"""What can go wrong with one request, and what follows from it."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

from llm.calls.secrets import Redactor

Kind: TypeAlias = Literal[
    "timeout",
    "connection",
    "rate limit",
    "server error",
    "not an answer",
    "too large",
    "parameter",
    "request",
    "key",
    "model",
    "quota",
]

_RETRIED: frozenset[Kind] = frozenset(
    {"timeout", "connection", "rate limit", "server error", "not an answer"}
)
_FINAL: frozenset[Kind] = frozenset({"key", "model", "quota"})

_LONGEST = 200


class Fault(Exception):
    """A request that was not answered."""

    def __init__(
        self,
        kind: Kind,
        says: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        refused: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.says = says
        """What the server or the connection said; it may repeat a key until it is `cleaned`."""
        self.status = status
        """The HTTP status, if there was one."""
        self.retry_after = retry_after
        """Seconds that the server asked to wait."""
        self.refused = refused
        """Of a `parameter` fault: which of temperature, schema and limit it will not take."""

    @property
    def retried(self) -> bool:
        """Whether the same request may be answered a little later."""
        return self.kind in _RETRIED

    @property
    def final(self) -> bool:
        """Whether no request to this model will be answered."""
        return self.kind in _FINAL

    def cleaned(self, redactor: Redactor) -> Self:
        """The same fault, its words without keys and then short enough for a line."""
        self.says = shortened(redactor.clean(self.says))
        return self

    def __str__(self) -> str:
        status = "" if self.status is None else f" {self.status}"
        return f"{self.kind}{status}: {self.says}"


def shortened(text: str) -> str:
    """A server's words on one line that steers no terminal, cut where they are long."""
    line = " ".join(text[: 4 * _LONGEST].split())
    line = "".join(it for it in line if it.isprintable())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
