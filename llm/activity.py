"""When an activity takes place, and whether an interval shares a moment with it."""

from __future__ import annotations

from routers import Entry
from routers.reading.intervals import Interval


def activity_of(entry: Entry) -> Interval:
    """When the activity takes place, as far as it is given."""
    start = entry.deadline if entry.action is None else entry.action
    return Interval(start, start if entry.activity_end is None else entry.activity_end)


def meets(interval: Interval, activity: Interval) -> bool:
    """Half-open intervals; an activity without a known length is the moment of its start."""
    start, end = activity
    return interval.overlaps(start, end) or interval.start <= start < interval.end
