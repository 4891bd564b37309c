"""A stream's values: the public part, and the gold that no router or judge is ever handed.

`Stream` and what it holds have no way to `Gold`: whoever needs both is given a `Labelled`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from routers import Entry, Notice
from theory import Timeline

Relation: TypeAlias = Literal[
    "decisive",
    "ended-before",
    "starts-after",
    "does-not-block",
    "other-day",
    "namesake",
    "unneeded-facility",
    "irrelevant-role",
    "alternative",
]
"""What a notice is to a decision; `irrelevant-role` is the trap."""
RELATIONS: tuple[Relation, ...] = get_args(Relation)
RELATED: tuple[Relation, ...] = RELATIONS[:5]
"""About something the decision needs."""

Cause: TypeAlias = Literal["stale", "recoverable", "late"]
"""Where the news of a decision's first change falls: before the decision, before the deadline, or
after it."""
CAUSES: tuple[Cause, ...] = get_args(Cause)


@dataclass(frozen=True)
class Stream:
    """Decisions and news: all that a ledger, a router or a judge may see."""

    name: str
    """Which stream it is."""
    epoch: datetime
    """Where its hours count from."""
    decisions: Sequence[Entry]
    """In order of `decided`; every one has all of its times."""
    notices: Collection[Notice]
    """In order of publication."""
    made: Mapping[str, object] = field(default_factory=dict)
    """How it was made: seed and parameters; empty where a user brought it."""

    @property
    def timeline(self) -> Timeline:
        """The decisions' timestamps, arrays of shape (decisions,), in hours."""
        names = ("written", "verified", "decided", "deadline", "action", "outcome")
        return Timeline(
            *(np.array([getattr(entry, name) for entry in self.decisions]) for name in names)
        )


class Concern(NamedTuple):
    """A notice that touches a decision in some way, whoever was sent it."""

    notice: str
    """The id of the notice."""
    relation: Relation


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of one decision."""

    decision: str
    """Its id."""
    label: Literal[0, 1]
    """1 if it should change, 0 if it should stand."""
    kind: str | None = None
    """How its decisive news refers to what it needs: option, dependency, other-name, upstream."""
    notices: tuple[Concern, ...] = ()
    """The notices of its revision window that touch it, in order of publication."""
    cause: Cause | None = None
    """Of a natural stream's changing decision."""
    facts: tuple[int, ...] = ()
    """The facts that a natural stream's decision rests on, as indices into `Log.rates`."""

    @property
    def decisive(self) -> tuple[str, ...]:
        """The ids of the notices that should change it."""
        return tuple(found.notice for found in self.notices if found.relation == "decisive")


class Happening(NamedTuple):
    """A change of a fact in a natural stream's world, and the notice of it."""

    fact: int
    version: int
    """How often the fact has changed, this time included."""
    changed: float
    """When, in hours."""
    published: float
    """When its notice came out, in hours."""
    notice: str
    """The id of the notice."""


@dataclass(frozen=True)
class Log:
    """What happened in a natural stream's world."""

    rates: Sequence[float]
    """The hazard of each fact, per hour."""
    changes: Sequence[Happening]
    """Every change, in order of publication."""


@dataclass(frozen=True)
class Gold:
    """What is true of a stream's decisions and notices."""

    truths: Mapping[str, Truth]
    """By decision id, in the stream's order."""
    log: Log | None = None
    """Of a natural stream."""


class Labelled(NamedTuple):
    """A stream and its gold."""

    stream: Stream
    gold: Gold
