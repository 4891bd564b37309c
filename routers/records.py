"""What a ledger tells of an entry: its state, its verdict and the notices it received."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from routers.delivery import Delivery
from routers.entry import Entry
from routers.notice import Notice
from routers.times import told, write_time
from routers.verdict import Choice, Verdict

Standing: TypeAlias = Literal["open", "waiting", "decided", "expired", "closed"]
"""`open`: news can reach it. `waiting`: a switch needs a person's word. `decided`: its verdict
counts. `expired`: past its deadline undecided or unconfirmed, so what was chosen stands. `closed`:
withdrawn."""


class Record(NamedTuple):
    """An entry and what became of it; times are hours on the ledger's clock."""

    entry: Entry
    verdict: Verdict | None
    """The judge's answer, whether or not it counts."""
    opened_at: float
    """When it was recorded."""
    answered_at: float | None
    """When its verdict was given."""
    confirmed_at: float | None
    """When a person confirmed its switch."""
    closed_at: float | None
    """When it was withdrawn."""
    received: int
    """How many notices it received."""
    now: float
    """What time it was when this was told."""

    @property
    def state(self) -> Standing:
        """How it stood at `now`."""
        if self.closed_at is not None:
            return "closed"
        waits = self.verdict is not None and self.verdict.choice == "switch" and self.entry.confirm
        if self.verdict is not None and (not waits or self.confirmed_at is not None):
            return "decided"
        if self.now > self.entry.deadline:
            return "expired"
        return "waiting" if waits else "open"

    @property
    def outcome(self) -> Choice | None:
        """What counts: keep or switch once that is settled, None before, and where withdrawn."""
        if self.state == "expired":
            return "keep"
        return self.verdict.choice if self.state == "decided" and self.verdict else None

    @property
    def story(self) -> str:
        """How it came to stand as it does, for error lines."""
        if self.state == "expired":
            deadline, now = self._told(self.entry.deadline), self._told(self.now)
            return f"expired to keep at its deadline {deadline}, it is {now} now"
        if self.state == "closed":
            return f"was closed at {self._told(self.closed_at)}"
        if self.state == "decided":
            return f"was decided ({self.outcome}) at {self._told(self.answered_at)}"
        return "waits for a person's word" if self.state == "waiting" else "is open"

    @property
    def events(self) -> list[tuple[str, float | str]]:
        """What happened to it and when, as the ledger writes times."""
        moments = {
            "opened": self.opened_at,
            "answered": self.answered_at,
            "confirmed": self.confirmed_at,
            "closed": self.closed_at,
        }
        return [
            (event, write_time(at, self.entry.kind, self.entry.epoch))
            for event, at in moments.items()
            if at is not None
        ]

    def to_json(self) -> dict[str, object]:
        """Its JSON object."""
        return {
            "entry": self.entry.to_json(),
            "state": self.state,
            "outcome": self.outcome,
            "verdict": None if self.verdict is None else self.verdict.to_json(),
            "events": [{"event": event, "at": at} for event, at in self.events],
            "received": self.received,
        }

    def _told(self, at: float | None) -> str:
        return "-" if at is None else told(at, self.entry.kind, self.entry.epoch)


class Received(NamedTuple):
    """A notice that an entry received."""

    notice: Notice
    score: float
    """The router's score."""

    def to_json(self) -> dict[str, object]:
        """The notice's JSON object with the score."""
        return {"notice": self.notice.to_json(), "score": self.score}


class History(NamedTuple):
    """All that a ledger knows of an entry."""

    record: Record
    received: list[Received]
    """The notices it received, in order of publication."""

    def to_json(self) -> dict[str, object]:
        """The record's JSON object with the notices."""
        return self.record.to_json() | {"notices": [found.to_json() for found in self.received]}


class Ignored(NamedTuple):
    """A document that changed nothing."""

    id: str
    why: str


class Taken(NamedTuple):
    """What came of recording entries or publishing notices."""

    deliveries: list[Delivery]
    """In order of publication, each notice's best first."""
    ignored: list[Ignored]
    """Identical duplicates."""
