"""The news of a natural stream's world: a notice of each change, and what it is to a decision."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from routers import Entry, Notice
from sim.streams.controlled import EPOCH, Kind, numbered
from sim.streams.dice import Dice
from sim.streams.names import Name
from sim.streams.notices import LAPSING, write_notice
from sim.streams.scene import SceneWriter
from sim.streams.sites import Sites
from sim.streams.stream import Cause, Concern, Happening, Relation, Truth


@dataclass(frozen=True, slots=True)
class Item:
    """A change and its notice."""

    change: Happening
    place: Name
    """What the notice calls the thing that changed."""
    kind: Kind | None
    """How it refers to it; None for a facility."""


class News:
    """Everything published, by the fact that it is about."""

    def __init__(self, facts: int, items: Sequence[Item]) -> None:
        self._by_fact: list[list[Item]] = [[] for _ in range(facts)]
        for item in items:
            self._by_fact[item.change.fact].append(item)

    def truth(
        self,
        entry: Entry,
        *,
        first_change: float,
        delay: float,
        facts: range,
        facility: int,
        mentioned: tuple[int, Name] | None,
    ) -> Truth:
        """What is true of a decision: its facts first changed at `first_change`, inf for never.

        `mentioned` is the fact and the name of the place that is its trap.
        """
        verified = entry.verified or 0.0
        found: list[tuple[str, Relation]] = [
            # News of what had changed before the evidence was verified stops nothing.
            (change.notice, "decisive" if change.changed > verified else "does-not-block")
            for fact in facts
            for change in (item.change for item in self._in_window(entry, fact))
        ]
        found += [
            (item.change.notice, "unneeded-facility") for item in self._in_window(entry, facility)
        ]
        if mentioned is not None:
            fact, name = mentioned
            found += [
                (item.change.notice, "irrelevant-role")
                for item in self._in_window(entry, fact)
                if item.place == name
            ]
        changed = math.isfinite(first_change)
        return Truth(
            decision=entry.id,
            label=1 if changed else 0,
            kind=self._kind_of(first_change, facts) if changed else None,
            notices=tuple(Concern(*each) for each in sorted(found)),
            cause=_cause(entry, first_change + delay) if changed else None,
            facts=tuple(facts),
        )

    def _in_window(self, entry: Entry, fact: int) -> Sequence[Item]:
        items = self._by_fact[fact]
        first, end = (
            bisect_right(items, moment, key=_published)
            for moment in (entry.decided, entry.deadline)
        )
        return items[first:end]

    def _kind_of(self, first_change: float, facts: range) -> Kind | None:
        """How the news of the first change refers to what changed."""
        for fact in facts:
            items = self._by_fact[fact]
            at = bisect_right(items, first_change, key=_changed) - 1
            if at >= 0 and items[at].change.changed == first_change:
                return items[at].kind
        return None


def publish(
    dice: Dice, writer: SceneWriter, sites: Sites, changes: Sequence[tuple[int, int, float, float]]
) -> tuple[list[Item], list[Notice]]:
    """Each change (fact, version, changed, published) with its notice, in order of publication."""
    items, notices = [], []
    for change, notice_id in zip(changes, numbered("n", len(changes)), strict=True):
        happening = Happening(*change, notice=notice_id)
        place, kind = sites.called(dice, happening.fact)
        # In force from the next full minute: what was verified by then has seen it.
        since = math.ceil(happening.changed * 60)
        when = writer.dates.interval("open", since, since)
        text = write_notice(dice, place, LAPSING, when)
        items.append(Item(happening, place, kind))
        notices.append(Notice(id=notice_id, published=happening.published, text=text, epoch=EPOCH))
    return items, notices


def _published(item: Item) -> float:
    return item.change.published


def _changed(item: Item) -> float:
    return item.change.changed


def _cause(entry: Entry, published: float) -> Cause:
    if published <= entry.decided:
        return "stale"
    return "recoverable" if published <= entry.deadline else "late"
