"""Which interval a notice states: during the activity, or before it, after it, or on another day.

The shape is drawn first, whatever the interval is to mean, and every shape comes before, during
and after alike: how an interval is worded tells nothing about what it means. All of it begins after
the decision's deadline, which lies at least `clock.LEAD` before the activity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from sim.streams.dates import DAY, SHAPES, Shape
from sim.streams.dice import Dice

Elsewhen: TypeAlias = Literal["ended-before", "starts-after", "other-day"]
"""Where an interval lies that misses the activity. On another day: within one day that is not the
activity's, but at its hours."""

PERCENT: Mapping[Shape, int] = {"hours": 45, "day": 12, "days": 13, "across": 18, "open": 12}
"""How often each shape is drawn."""
POSSIBLE: Mapping[Shape, tuple[Elsewhen, ...]] = {
    "hours": ("ended-before", "starts-after", "other-day"),
    "day": ("other-day",),
    "days": ("ended-before", "starts-after"),
    "across": ("ended-before", "starts-after"),
    "open": ("starts-after",),
}
"""Where an interval of each shape can lie and miss the activity."""

_SHAPES = [shape for shape in SHAPES for _ in range(PERCENT[shape])]
_HALF_HOUR = 30
_DAWN, _DUSK = 6 * 60, 18 * 60
_TOUCHES = 0.25
"""Share of the intervals on the activity's day that end or start exactly as it starts or ends."""


class Activity(NamedTuple):
    """When the activity takes place: minutes from the epoch, within one day."""

    start: int
    end: int

    @property
    def day(self) -> int:
        """The minute at which its day begins."""
        return self.start - self.start % DAY


class Stated(NamedTuple):
    """An interval that a notice states."""

    shape: Shape
    start: int
    """Minutes from the epoch."""
    end: int
    """Not part of it; the start again where the interval is open."""


def state_during(dice: Dice, activity: Activity) -> Stated:
    """An interval that overlaps the activity."""
    shape = dice.pick(_SHAPES)
    day, (start, end) = activity.day, activity
    if shape == "hours":
        return Stated(shape, *_hours_during(dice, activity, day))
    if shape == "day":
        return Stated(shape, day, day + DAY)
    if shape == "days":
        length = 2 + dice.below(2)
        first = day - DAY * dice.below(length)
        return Stated(shape, first, first + length * DAY)
    if shape == "across":
        if dice.chance(0.5):
            evening = dice.step(day - DAY + _DUSK, day - _HALF_HOUR, _HALF_HOUR)
            return Stated(shape, evening, dice.step(start + _HALF_HOUR, end, _HALF_HOUR))
        until = dice.step(day + DAY + _DAWN, day + DAY + DAY // 2, _HALF_HOUR)
        return Stated(shape, dice.step(start, end - _HALF_HOUR, _HALF_HOUR), until)
    since = dice.step(start - 2 * DAY, end - _HALF_HOUR, _HALF_HOUR)
    return Stated(shape, since, since)


def state_elsewhen(
    dice: Dice, activity: Activity, elsewhen: Sequence[Elsewhen]
) -> tuple[Stated, Elsewhen]:
    """An interval that misses the activity, where one of `elsewhen` says and its shape allows."""
    while True:
        shape = dice.pick(_SHAPES)
        possible = [where for where in elsewhen if where in POSSIBLE[shape]]
        if possible:
            where = dice.pick(possible)
            return Stated(shape, *_miss(dice, activity, shape, where)), where


def _miss(dice: Dice, activity: Activity, shape: Shape, where: Elsewhen) -> tuple[int, int]:
    if where == "other-day":
        day = activity.day + DAY * dice.pick((-2, -1, 1, 2, 3))
        return (day, day + DAY) if shape == "day" else _hours_during(dice, activity, day)
    if where == "ended-before":
        return _before(dice, activity, shape)
    return _after(dice, activity, shape)


def _hours_during(dice: Dice, activity: Activity, day: int) -> tuple[int, int]:
    """Hours of a day that overlap the hours of the activity."""
    first, last = activity.start - activity.day, activity.end - activity.day
    start = dice.step(_DAWN, last - _HALF_HOUR, _HALF_HOUR)
    end = dice.step(max(start, first) + _HALF_HOUR, DAY, _HALF_HOUR)
    return day + start, day + end


def _before(dice: Dice, activity: Activity, shape: Shape) -> tuple[int, int]:
    """An interval that is over when the activity starts, at times just over."""
    day, touches = activity.day, dice.chance(_TOUCHES)
    if shape == "days":
        return day - (2 + dice.below(2)) * DAY, day
    if shape == "hours":
        end = activity.start if touches else dice.step(day + _DAWN + 30, activity.start, 30)
        return dice.step(day + _DAWN, end - _HALF_HOUR, _HALF_HOUR), end
    evening = dice.step(day - DAY + _DUSK, day - _HALF_HOUR, _HALF_HOUR)
    end = activity.start if touches else dice.step(day + _DAWN, activity.start, _HALF_HOUR)
    return evening, end


def _after(dice: Dice, activity: Activity, shape: Shape) -> tuple[int, int]:
    """An interval that starts when the activity is over, at times just over."""
    day, touches = activity.day, dice.chance(_TOUCHES)
    if shape == "days":
        first = day + DAY * (1 + dice.below(3))
        return first, first + (2 + dice.below(2)) * DAY
    latest = day + DAY - _HALF_HOUR
    start = activity.end if touches else dice.step(activity.end, latest, _HALF_HOUR)
    if shape == "hours":
        return start, dice.step(start + _HALF_HOUR, day + DAY, _HALF_HOUR)
    if shape == "across":
        return start, dice.step(day + DAY + _DAWN, day + DAY + DAY // 2, _HALF_HOUR)
    since = start + DAY * dice.below(3)
    return since, since
