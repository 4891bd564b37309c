"""Writes intervals the ways notices do: clocks of 12 and 24 hours, dates in several orders.

An interval has a *shape*, which is what can be said of it whatever it means for a decision: hours
of one day, one whole day, several whole days, hours across days, or no end. Every shape has a
dozen wordings or more. `routers.reading.intervals` reads back exactly what is written here.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Literal, TypeAlias

from sim.streams.dice import Dice
from sim.streams.wordlists import words

Shape: TypeAlias = Literal["hours", "day", "days", "across", "open"]
SHAPES: tuple[Shape, ...] = ("hours", "day", "days", "across", "open")
DAY = 1440
"""Minutes of a day."""

PHRASES: dict[Shape, tuple[str, ...]] = {
    "hours": (
        "from {t} to {u} on {d}",
        "from {t} until {u} on {d}",
        "between {t} and {u} on {d}",
        "on {d} from {t} to {u}",
        "on {d} from {t} until {u}",
        "on {d} between {t} and {u}",
        "on {d} ({t} to {u})",
        "on {d}, {t}–{u}",
        "from {t} till {u} on {d}",
        "on {d}, {t} to {u}",
        "from {t} on {d} until {u}",
        "starting at {t} on {d} and ending at {u}",
        "from {i}T{T} to {i}T{U}",
    ),
    "day": (
        "on {d}",
        "all day on {d}",
        "on {d}, all day",
        "for the whole of {d}",
        "throughout {d}",
        "on the whole of {d}",
        "all of {d}",
        "on {d}, the whole day",
        "on {d} from midnight to midnight",
        "from midnight to midnight on {d}",
        "for one day from {d}",
        "for 24 hours from midnight on {d}",
    ),
    "days": (
        "from {d} to {e}",
        "from {d} until {e}",
        "from {d} through {e}",
        "from {d} to {e} inclusive",
        "between {d} and {e}",
        "on all days from {d} to {e}",
        "starting on {d} and ending on {e}",
        "from {r}",
        "on the days from {d} till {e}",
        "for {n} days from {d}",
        "for {n} days starting on {d}",
        "from {i} to {j}",
    ),
    "across": (
        "from {t} on {d} to {u} on {e}",
        "from {t} on {d} until {u} on {e}",
        "between {t} on {d} and {u} on {e}",
        "from {d} at {t} to {e} at {u}",
        "from {d}, {t}, to {e}, {u}",
        "starting at {t} on {d} and ending at {u} on {e}",
        "from {d} ({t}) to {e} ({u})",
        "between {d}, {t}, and {e}, {u}",
        "from {t} on {d} up to {u} on {e}",
        "from {d} at {t} through {e} at {u}",
        "from {i} {T} to {j} {U}",
        "from {i}T{T} until {j}T{U}",
    ),
    "open": (
        "from {t} on {d} until further notice",
        "until further notice from {t} on {d}",
        "as of {t} on {d}",
        "from {t} on {d} onwards",
        "from {t} on {d} with no end set",
        "starting at {t} on {d}, until further notice",
        "indefinitely from {t} on {d}",
        "from {t} on {d} (no end date given)",
        "starting on {d} at {t} with no end known",
        "from {d}, {t}, until further notice",
        "from {i}T{T} until further notice",
        "as of {i} {T} and until further notice",
    ),
}
"""Wordings by shape: `{t}` and `{u}` are the times, `{d}` and `{e}` the days, `{r}` a range of
days, `{n}` their number, `{i}` `{j}` `{T}` `{U}` the same in figures."""

APPOINTMENTS = PHRASES["hours"][:10]
"""Wordings that suit what is agreed rather than announced; dates and times in one form."""

_MONTHS = words(
    "January February March April May June July August September October November December"
)
_WEEKDAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_NUMBERS = {2: "two", 3: "three", 4: "four"}


class DateWriter:
    """Writes dates, times and intervals, in minutes from an epoch at midnight."""

    def __init__(self, dice: Dice, epoch: datetime) -> None:
        self._dice = dice
        self._first = epoch.toordinal()

    def interval(self, shape: Shape, start: int, end: int) -> str:
        """The half-open interval in one of the ways of its shape; `end` is not read where open."""
        first, last = self.day(start), self.day(end if shape in ("across", "open") else end - 1)
        return self._written(self._dice.pick(PHRASES[shape]), start, end, first, last)

    def _written(self, phrase: str, start: int, end: int, first: date, last: date) -> str:
        dice, from_, until = self._dice, start % DAY, _last_minute(end)
        if "{r}" in phrase:
            return phrase.format(r=_day_range(dice, first, last))
        if "{i}" in phrase:
            times = {"T": twenty_four(from_), "U": twenty_four(until)}
            return phrase.format(i=first.isoformat(), j=last.isoformat(), **times)
        write, clock = dice.pick(DATES), dice.pick(CLOCKS)
        days = {"d": write(first), "e": write(last)}
        number = _NUMBERS.get((end - start) // DAY, "")
        return phrase.format(t=clock(from_), u=clock(until), n=number, **days)

    def appointment(self, start: int, end: int) -> str:
        """Hours of one day in full, as a decision states them."""
        times = {"t": twenty_four(start % DAY), "u": twenty_four(_last_minute(end))}
        return self._dice.pick(APPOINTMENTS).format(d=in_full(self.day(start)), **times)

    def moment(self, at: int) -> str:
        """A time on a date with its year, such as `11:15 on 3 May 2035`."""
        return f"{self._dice.pick(CLOCKS)(at % DAY)} on {self._dice.pick(DATED)(self.day(at))}"

    def day(self, at: int) -> date:
        """The civil date of a minute."""
        return date.fromordinal(self._first + at // DAY)


def twenty_four(minute: int) -> str:
    """`14:30`."""
    return f"{minute // 60:02}:{minute % 60:02}"


def _last_minute(end: int) -> int:
    """A time of day as an end: midnight belongs to the day before, as 24:00."""
    return end % DAY or DAY


def _twelve(minute: int, form: str) -> str:
    if minute in (0, DAY):
        return "midnight"
    if minute == DAY // 2:
        return "noon"
    hours, minutes = minute // 60, minute % 60
    half = "p" if hours >= 12 else "a"
    figures = f"{(hours - 1) % 12 + 1}" + (f":{minutes:02}" if minutes else "")
    return form.format(figures, half)


Clock: TypeAlias = Callable[[int], str]
CLOCKS: tuple[Clock, ...] = (
    twenty_four,
    twenty_four,
    lambda minute: _twelve(minute, "{} {}.m."),
    lambda minute: _twelve(minute, "{}{}m"),
)
"""Ways to write a time of day, from its minute; 1440 is the end of the day."""


def _nth(day: int) -> str:
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def in_full(day: date) -> str:
    """`Saturday 12 May 2035`."""
    return f"{_WEEKDAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"


WriteDate: TypeAlias = Callable[[date], str]
DATED: tuple[WriteDate, ...] = (
    in_full,
    lambda d: f"{d.day} {_MONTHS[d.month - 1]} {d.year}",
    lambda d: f"{_MONTHS[d.month - 1]} {d.day}, {d.year}",
    lambda d: f"{_WEEKDAYS[d.weekday()]}, {_MONTHS[d.month - 1]} {d.day}, {d.year}",
    lambda d: f"{_nth(d.day)} {_MONTHS[d.month - 1]} {d.year}",
    lambda d: f"{d.day} {_MONTHS[d.month - 1][:3]} {d.year}",
)
"""Ways to write a date with its year in words."""
DATES: tuple[WriteDate, ...] = (
    *DATED,
    lambda d: f"{d.day} {_MONTHS[d.month - 1]}",
    lambda d: f"{_WEEKDAYS[d.weekday()]} {d.day} {_MONTHS[d.month - 1]}",
    lambda d: f"{_MONTHS[d.month - 1]} {d.day}",
    lambda d: f"{_WEEKDAYS[d.weekday()][:3]} {d.day} {_MONTHS[d.month - 1]}",
    lambda d: f"the {_nth(d.day)} of {_MONTHS[d.month - 1]}",
    lambda d: f"{d.day:02}.{d.month:02}.{d.year}",
    lambda d: d.isoformat(),
)
"""Ways to write a date in a notice."""


def _day_range(dice: Dice, first: date, last: date) -> str:
    """`9 to 11 May 2035` and its like; both in full where the month changes."""
    if first.month != last.month:
        return f"{DATED[1](first)} to {DATED[1](last)}"
    month = _MONTHS[first.month - 1]
    return dice.pick(
        (
            f"{first.day} to {last.day} {month} {first.year}",
            f"{first.day}–{last.day} {month}",
            f"{month} {first.day}–{last.day}, {first.year}",
            f"{first.day} until {last.day} {month}",
        )
    )
