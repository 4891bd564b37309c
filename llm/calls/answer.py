"""What came back from a model: text, what it took, and every attempt."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from llm.calls.request import Sent


@dataclass(frozen=True)
class Usage:
    """Tokens of one attempt as the server counted them; None where it did not say."""

    input: int | None = None
    """Read, those from a cache included."""
    output: int | None = None
    """Written, thoughts included."""
    cached: int | None = None
    """Of those read, from a cache."""
    reasoning: int | None = None
    """Of those written, thoughts."""

    @property
    def total(self) -> int | None:
        """Read and written; None where neither is known."""
        if self.input is None and self.output is None:
            return None
        return (self.input or 0) + (self.output or 0)


@dataclass(frozen=True)
class Attempt:
    """One request on the wire."""

    fault: str | None
    """What went wrong, such as `rate limit`; None if it was answered."""
    status: int | None
    """The HTTP status, if one came."""
    latency: float
    """Seconds until it was answered or given up."""
    waited: float = 0.0
    """Seconds waited before it."""
    usage: Usage = Usage()


@dataclass(frozen=True)
class Answer:
    """What a call came to, after all its attempts."""

    text: str | None
    """What the model wrote; None if the call failed."""
    refusal: str | None
    """Why the model refused, where its server says that it did."""
    stop: str | None
    """Why it stopped, as its server puts it: `stop`, `length`, `end_turn`, ..."""
    model: str | None
    """The model that answered, as its server names it."""
    api_version: str | None
    """Of the server's API, if it says."""
    temperature: float
    """As requested."""
    sent: Sent
    """What was sent in the end."""
    attempts: tuple[Attempt, ...]
    cost: float | None
    """US dollars of all attempts; None where price or tokens are unknown."""
    recorded: str
    """When, in ISO 8601."""
    fault: str | None = None
    """Why the call failed, if it did: nothing was answered."""
    replayed: bool = False
    """Whether it comes from a cassette."""

    @property
    def latency(self) -> float:
        """Seconds from the first attempt to the answer, waits included."""
        return sum(attempt.latency + attempt.waited for attempt in self.attempts)

    @property
    def tokens(self) -> int | None:
        """Tokens read and written over all attempts; None where none were told."""
        told = [total for it in self.attempts if (total := it.usage.total) is not None]
        return sum(told) if told else None

    @property
    def cut_off(self) -> bool:
        """Whether the answer ended at its limit rather than by itself."""
        return self.stop in ("length", "max_tokens", "model_context_window_exceeded")

    def document(self) -> dict[str, Any]:
        """What a cassette's line holds of it, beside `sent` and `recorded`."""
        document = asdict(self)
        for name in ("sent", "recorded", "replayed"):
            del document[name]
        return document

    @classmethod
    def of(cls, document: dict[str, Any], sent: Sent, recorded: str) -> Answer:
        """The answer of a cassette's line."""
        attempts = tuple(
            Attempt(**{**attempt, "usage": Usage(**attempt["usage"])})
            for attempt in document["attempts"]
        )
        return cls(
            **{**document, "attempts": attempts}, sent=sent, recorded=recorded, replayed=True
        )
