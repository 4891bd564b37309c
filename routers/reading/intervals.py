"""The reader of stated intervals: from when to when a text says that something holds.

Reads what English notices usually write: ISO 8601, `12 May 2035`, `May 12`, `12.05.2035`,
`14:00`, `2:30 p.m.`, noon and midnight; hours on a day, across midnight, whole days (the last one
included), durations, `until further notice`. A date without its year is the one nearest to the
time of publication. Times are UTC unless an ISO time states its offset. What states a moment
only, hours without a date, or a date that does not exist, is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import NamedTuple

from routers.notice import Notice
from routers.reading.calendar import (
    DAY,
    MIDNIGHT,
    Clock,
    Day,
    Relative,
    Span,
    Token,
    Value,
    tokens,
)


class Interval(NamedTuple):
    """A stated interval, half-open, in hours from the epoch."""

    start: float
    """-inf where only an end is stated."""
    end: float
    """The first moment that no longer belongs to it; inf where it is open."""

    def overlaps(self, start: float, end: float) -> bool:
        """Whether it shares a moment with `[start, end)`."""
        return self.start < end and self.end > start


def stated_intervals(notice: Notice) -> list[Interval]:
    """The intervals that a notice states, in the order of its text."""
    return read_intervals(notice.text, epoch=notice.epoch, published=notice.published)


def stated_start(notice: Notice) -> float | None:
    """The earliest start among the intervals that a notice states, in hours from the epoch.

    -inf where an end is all that one of them states, None where none can be read.
    """
    return min((interval.start for interval in stated_intervals(notice)), default=None)


def read_intervals(text: str, *, epoch: datetime, published: float) -> list[Interval]:
    """The intervals stated in `text`, published so many hours after `epoch`, in its order."""
    origin = (epoch.astimezone(UTC) - _DAY_ONE).total_seconds() + DAY
    today = _within(origin / DAY + published / 24, 1, date.max.toordinal())
    found = (_resolve(phrase, today) for phrase in _phrases(text))
    return [
        Interval((start - origin) / 3600, (end - origin) / 3600)
        for start, end in filter(None, found)
        if start < end
    ]


_DAY_ONE = datetime(1, 1, 1, tzinfo=UTC)  # ordinal 1, hence the day added to it above

# What may stand between two parts of one phrase: `14:00 to 18:00 UTC on Monday, the 12th of May`.
_GAP = re.compile(
    r"(?:[\s,:()]|\b(?:on|at|the|of|in|all|day|whole|throughout|both|days|inclusive|hours|hrs"
    r"|utc|gmt|(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?)\b\.?){0,12}",
    re.IGNORECASE | re.ASCII,
)


def _within(day: float, first: int, last: int) -> int:
    """The day's ordinal, or the nearest that the calendar has."""
    return math.floor(min(max(day, first), last))


@dataclass
class _Moment:
    """One end of a range, as far as it is stated."""

    day: Day | Relative | None = None
    clock: Clock | None = None
    next_day: bool = False

    def __bool__(self) -> bool:
        return self.day is not None or self.clock is not None or self.next_day


@dataclass
class _Phrase:
    """What one phrase states, gathered token by token."""

    left: _Moment = field(default_factory=_Moment)
    right: _Moment = field(default_factory=_Moment)
    ranged: bool = False
    """Whether a `to` was met: what follows belongs to the right end."""
    pending: Value | None = None
    """A `from` or `between` that no date or time has followed yet."""
    opens: bool = False
    """Whether it says `from`: without an end it stays open."""
    between: bool = False
    """Whether the next `and` means `to`."""
    span: int | None = None
    """Seconds that it lasts, where it says so."""

    def take(self, value: Value, gap: str) -> bool:
        """Take one more part in; False where it belongs to a new phrase."""
        end = self.right if self.ranged else self.left
        if isinstance(value, Day | Relative):
            # `12 May 14:00-18:00, 13 May`: the comma begins something else.
            apart = self.ranged and self.left.day and end.clock and gap.startswith(",")
            if end.day is not None or end.next_day or apart:
                return False
            end.day = value
            self._open()
        elif isinstance(value, Clock):
            if end.clock is not None:
                return False
            end.clock = value
            self._open()
        elif isinstance(value, Span):
            self.span = value.seconds
        elif value in ("from", "between"):
            if self.ranged or (self.left.day and self.left.clock):
                return False
            self.pending = value
        elif value == "open":
            self.opens = True
            return not self.ranged
        elif value == "next day":
            end.next_day = self.ranged and end.day is None
        elif value == "and" and not self.between:
            return not self.left
        elif self.left or value == "until":
            # A second `to` after a whole range begins something else.
            if self.ranged and self.right:
                return False
            self.ranged = True
        return True

    def _open(self) -> None:
        """A date or time was taken: a `from` before it counts now."""
        if self.pending is not None:
            self.opens, self.between = True, self.pending == "between"
            self.pending = None


def _phrases(text: str) -> Iterator[_Phrase]:
    """Runs of parts with nothing but fillers between them, each taken apart into phrases."""
    phrase = _Phrase()
    held: Token | None = None  # the token before
    for token in tokens(text):
        gap = text[held.end : token.start] if held is not None else ""
        fresh = held is not None and _GAP.fullmatch(gap) is None
        if fresh or not phrase.take(token.value, gap):
            yield phrase
            phrase = _Phrase()
            if not fresh and held is not None and held.value in ("from", "between"):
                phrase.take(held.value, "")  # `on 9 May and from 12 May`: it opens the new phrase
            phrase.take(token.value, "")
        held = token
    yield phrase


def _resolve(phrase: _Phrase, today: int) -> tuple[float, float] | None:
    """Start and end in seconds from the day before day 1, or None where they cannot be known."""
    left, right = phrase.left, phrase.right
    if phrase.ranged and not right:
        phrase.ranged = False
    if not phrase.ranged:
        return _resolve_one(phrase, today)
    if not left:
        end = _last(right.day, right.clock, today)
        return None if end is None else (-math.inf, end)
    days = _resolve_days(left, right, today)
    if days is None:
        return None
    first, last = days
    start_clock, end_clock = _settle_halves(left.clock, right.clock)
    start = first * DAY + (0 if start_clock is None else _seconds(start_clock, midnight=0))
    if end_clock is None:
        return start, (last + 1) * DAY
    end = last * DAY + _seconds(end_clock, midnight=DAY)
    if end <= start and right.day is None and not right.next_day:
        end += DAY  # 22:00 to 06:00
    return start, end


def _resolve_one(phrase: _Phrase, today: int) -> tuple[float, float] | None:
    """A phrase with one end: a whole day, an open start, or a start and a duration."""
    moment = phrase.left
    if moment.day is None or (first := _ordinal(moment.day, today)) is None:
        return None
    clock = moment.clock
    start = first * DAY + (0 if clock is None else _seconds(clock, midnight=0))
    if phrase.span is not None:
        by_days = phrase.span % DAY == 0
        return (start, start + phrase.span) if clock is not None or by_days else None
    if phrase.opens:
        return start, math.inf
    return (start, start + DAY) if clock is None else None


def _last(day: Day | Relative | None, clock: Clock | None, today: int) -> float | None:
    """The end that `until` states: the clock's time, or the end of the day."""
    if day is None or (ordinal := _ordinal(day, today)) is None:
        return None
    return ordinal * DAY + (DAY if clock is None else _seconds(clock, midnight=DAY))


def _resolve_days(left: _Moment, right: _Moment, today: int) -> tuple[int, int] | None:
    """Both days as ordinals; what one leaves out follows from the other."""
    first, last = left.day, right.day
    if isinstance(first, Day) and isinstance(last, Day):
        return _resolve_pair(first, last, today)
    day = last if first is None else first
    if day is None or (start := _ordinal(day, today)) is None:
        return None
    if first is not None and last is not None:
        end = _ordinal(last, today)
        return None if end is None else (start, end)
    return start, start + int(right.next_day)


def _resolve_pair(first: Day, last: Day, today: int) -> tuple[int, int] | None:
    """Two dates in order: the later takes the earlier's month or year, or the next, and back."""
    if last.month is None:
        return None
    if first.month is None:
        back = first.day > last.day
        wraps = back and last.month == 1
        first = first._replace(
            month=12 if wraps else last.month - back,
            year=None if last.year is None else last.year - wraps,
        )
    if first.year is None and last.year is not None:
        later = (first.month, first.day) > (last.month, last.day)
        first = first._replace(year=last.year - later)
    start = _ordinal(first, today)
    if start is None:
        return None
    if last.year is None:
        year = date.fromordinal(start).year
        end = _exact(last, year)
        if end is None or end < start:
            end = _exact(last, year + 1)
    else:
        end = _ordinal(last, today)
    return None if end is None else (start, end)


def _ordinal(day: Day | Relative, today: int) -> int | None:
    """The day's ordinal; without a year, the one nearest to today. None where there is none."""
    if isinstance(day, Relative):
        return today + day.days
    if day.year is not None:
        return _exact(day, day.year)
    year = date.fromordinal(today).year
    candidates = [_exact(day, near) for near in (year - 1, year, year + 1)]
    return min(
        (found for found in candidates if found is not None),
        key=lambda found: abs(found - today),
        default=None,
    )


def _exact(day: Day, year: int) -> int | None:
    try:
        return date(year, day.month or 0, day.day).toordinal()
    except ValueError:
        return None


def _seconds(clock: Clock, *, midnight: int) -> int:
    return midnight if clock.seconds == MIDNIGHT else clock.seconds - clock.offset


def _settle_halves(first: Clock | None, last: Clock | None) -> tuple[Clock | None, Clock | None]:
    """`2 to 6 p.m.` starts in the afternoon, `10 to 2 p.m.` in the morning."""
    if first is None or first.half_known or last is None:
        return first, last
    morning = first.seconds % (DAY // 2)
    afternoon = morning + DAY // 2
    end = _seconds(last, midnight=DAY)
    return Clock(afternoon if afternoon < end else morning), last
