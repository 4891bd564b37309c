"""The label checker: what a stream's labels must be, from stated facts and timestamps alone.

It reads the decisions' dossiers and the notices as anyone would (`routers.reading`), knows nothing
of how they were made, and is never shown the gold it is held against. A decision changes iff a
notice published in `(decided, deadline]` names something it needs, says that it stops, and states
an interval that overlaps the activity. `natural` streams are checked against their world's log,
since what changes unpublished, or too late, stands in no text.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import polars as pl

from routers import Entry
from routers.reading.dossier import read_needs
from routers.reading.effects import blocks
from routers.reading.intervals import Interval, stated_intervals
from routers.reading.names import NameIndex
from sim.streams.stream import Cause, Concern, Gold, Labelled, Relation, Stream, Truth
from theory import BadInput

UNREADABLE: frozenset[Relation] = frozenset({"namesake"})
"""Relations that no reader can tell from having nothing to do with a decision."""


class Reading(NamedTuple):
    """What the texts say of one decision."""

    label: int
    """1 if it should change, 0 if it should stand."""
    notices: tuple[Concern, ...]
    """The notices of its window that name one of its places, in order of publication."""


class Disagreement(NamedTuple):
    """A decision whose gold is not what the checker found."""

    decision: str
    found: Reading
    gold: Truth


def read_labels(stream: Stream) -> dict[str, Reading]:
    """What the texts say of every decision, by id."""
    index: NameIndex[tuple[Entry, Relation | None]] = NameIndex()
    for entry in stream.decisions:
        needs = read_needs(entry)
        for name in needs.needed:
            index.add(name, (entry, None))
        roles: Mapping[Relation, tuple[str, ...]] = {
            "alternative": needs.alternatives,
            "unneeded-facility": needs.unneeded,
            "irrelevant-role": needs.mentioned,
        }
        for role, others in roles.items():
            for name in others:
                index.add(name, (entry, role))

    concerns: dict[str, dict[str, Relation]] = {entry.id: {} for entry in stream.decisions}
    for notice in stream.notices:
        named = [
            (entry, role)
            for entry, role in index.find(notice.text)
            if entry.decided < notice.published <= entry.deadline
        ]
        if not named:
            continue
        # News that states no interval holds from its publication on.
        intervals = stated_intervals(notice) or [Interval(notice.published, math.inf)]
        stops = blocks(notice.text)
        for entry, aside in named:
            relation = aside or _relation(entry, intervals, stops=stops)
            concerns[entry.id].setdefault(notice.id, relation)
    return {
        decision: Reading(
            label=int("decisive" in touching.values()),
            notices=tuple(Concern(*each) for each in touching.items()),
        )
        for decision, touching in concerns.items()
    }


def disagreements(labelled: Labelled) -> list[Disagreement]:
    """The decisions of a controlled stream whose gold differs from what its texts say."""
    readings = read_labels(labelled.stream)
    return [
        Disagreement(decision, readings[decision], truth)
        for decision, truth in labelled.gold.truths.items()
        if readings[decision] != _readable(truth)
    ]


def happened(stream: Stream, gold: Gold) -> pl.DataFrame:
    """What a natural stream's log says of its decisions, in the stream's order.

    Columns `decision`, `rate` (the sum of its facts' hazards), `verified`, `decided`, `deadline`,
    `action`, `first_change` of its facts after `verified` (inf: none in the log), `published`
    (when the news of that came out), `label` and `cause`.
    """
    log = gold.log
    if log is None:
        raise BadInput("stream", stream.name, "must have a log of changes, as natural streams do")
    changes: list[list[tuple[float, float]]] = [[] for _ in log.rates]
    for change in log.changes:
        changes[change.fact].append((change.changed, change.published))
    rows = []
    for entry in stream.decisions:
        facts = gold.truths[entry.id].facts
        timeline = {name: getattr(entry, name) for name in _MOMENTS}
        first, published = min(
            (_next_change(changes[fact], timeline["verified"]) for fact in facts),
            default=_NEVER,
        )
        changed = first <= timeline["action"]
        rows.append(
            {
                "decision": entry.id,
                "rate": sum(log.rates[fact] for fact in facts),
                **timeline,
                "first_change": first,
                "published": published,
                "label": int(changed),
                "cause": _cause(published, entry) if changed else None,
            }
        )
    return pl.DataFrame(rows, schema_overrides={"cause": pl.String})


_MOMENTS = ("verified", "decided", "deadline", "action")
_NEVER = (math.inf, math.inf)


def _next_change(changes: Sequence[tuple[float, float]], after: float) -> tuple[float, float]:
    """When a fact next changed after a moment, and when the news came out."""
    at = bisect_right(changes, after, key=lambda change: change[0])
    return changes[at] if at < len(changes) else _NEVER


def _cause(published: float, entry: Entry) -> Cause:
    if published <= entry.decided:
        return "stale"
    return "recoverable" if published <= entry.deadline else "late"


def _readable(truth: Truth) -> Reading:
    """The gold as far as texts can tell it."""
    notices = tuple(each for each in truth.notices if each.relation not in UNREADABLE)
    return Reading(truth.label, notices)


def _relation(entry: Entry, intervals: list[Interval], *, stops: bool) -> Relation:
    """What news about something the decision needs is to it."""
    if not stops:
        return "does-not-block"
    start, end = _activity(entry)
    if any(interval.overlaps(start, end) for interval in intervals):
        return "decisive"
    first = intervals[0]
    if _is_other_day(first, start, end, entry.epoch):
        return "other-day"
    return "ended-before" if first.end <= start else "starts-after"


def _is_other_day(interval: Interval, start: float, end: float, epoch: datetime) -> bool:
    """Whether it lies within one day, which is not the activity's, at hours of the activity."""
    shift = epoch.hour + epoch.minute / 60  # from midnight, so that days can be told
    day, activity_day = ((moment + shift) // 24 for moment in (interval.start, start))
    if interval.end + shift > (day + 1) * 24 or day == activity_day:
        return False
    days = (activity_day - day) * 24
    return Interval(interval.start + days, interval.end + days).overlaps(start, end)


def _activity(entry: Entry) -> tuple[float, float]:
    if entry.action is None or entry.activity_end is None:
        raise BadInput("action", None, f"must be given, with activity_end, for {entry.id}")
    return entry.action, entry.activity_end
