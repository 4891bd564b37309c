"""Words and figures of dates and times of day in English texts: what each says.

One regular expression finds them all; `tokens` turns each match into what it says. Dates between
slashes are read only where day and month cannot be mistaken for each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

DAY = 86_400
"""Seconds of a day."""
MIDNIGHT = -1
"""The time of day called midnight: 0:00 where something starts, 24:00 where it ends."""


class Day(NamedTuple):
    """A civil date, as far as it is given."""

    day: int
    month: int | None
    """None in `9 to 11 May`: it follows from the other date."""
    year: int | None
    """None where the text leaves it to its reader."""


class Relative(NamedTuple):
    """A date counted from the day of publication: yesterday -1, today 0, tomorrow 1."""

    days: int


class Clock(NamedTuple):
    """A time of day."""

    seconds: int
    """From 0:00, at most 24:00; or `MIDNIGHT`."""
    offset: int = 0
    """Seconds by which its zone is ahead of UTC."""
    half_known: bool = True
    """False in `2 to 6 p.m.`: morning or afternoon follows from the other time."""


class Span(NamedTuple):
    """A duration."""

    seconds: int


Mark: TypeAlias = Literal["from", "between", "to", "until", "and", "open", "next day"]
Value: TypeAlias = Day | Relative | Clock | Span | Mark


class Token(NamedTuple):
    """A stretch of text that says something about time."""

    value: Value
    start: int
    end: int


def tokens(text: str) -> Iterator[Token]:
    """What `text` says about time, in its order."""
    token, readers = _scanner()
    for match in token.finditer(text):
        read, groups = readers[str(match.lastgroup)]
        for value in read(*(match[group] for group in groups)):
            yield Token(value, *match.span())


_Read: TypeAlias = Callable[..., Sequence[Value]]
"""Reads the groups of a match; gives nothing where they are no time."""

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NUMBERS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_UNITS = {"minute": 60, "hour": 3600, "day": DAY, "week": 7 * DAY}
_RELATIVE = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}

# Building blocks of the patterns below.
_month = (
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r")\b|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
)
_weekday = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?,?\s+)?"
_day = r"(?:\d{1,2}(?:st|nd|rd|th)?)"
_year = r"(?:,?\s+(\d{4})\b(?!\s*(?:hours|hrs)\b|[:.]\d))?"
_to = r"(?:\s*(?:to|until|till|through|thru|and|[-–—−])\s*)"
_half = r"(?:\s*(?:[ap]\.\s?m\.|[ap]m\b))"


def _iso(
    year: str, month: str, day: str, hours: str, minutes: str, seconds: str, zone: str
) -> Sequence[Value]:
    date = Day(int(day), int(month), int(year))
    if not hours:
        return [date]
    return [date, *_clock(hours, minutes, seconds, offset=_offset(zone))]


def _offset(zone: str | None) -> int:
    """Seconds ahead of UTC in `+02:00`, `-0330` or `Z`."""
    if not zone or zone in "Zz":
        return 0
    digits = zone[1:].replace(":", "")
    return (-1 if zone[0] == "-" else 1) * (int(digits[:2]) * 3600 + int(digits[2:]) * 60)


def _slashed(first: str, second: str, year: str) -> Sequence[Value]:
    """`13/5/2035` and `5/13/2035` can be read one way only; `4/5/2035` is no day one can know."""
    day, month = sorted((int(first), int(second)), reverse=True)
    return [Day(day, month, int(year)) if day > 12 or day == month else Day(0, 0, int(year))]


def _month_days(month: str, first: str, to: str, last: str, year: str) -> Sequence[Value]:
    days = [*_date(first, month, year), *_date(last, month, year)]
    return [days[0], "and" if to.strip().lower() == "and" else "to", days[1]] if days else []


def _date(day: str, month: str, year: str | None) -> Sequence[Value]:
    """Lower-case `may` and `march` are verbs unless a year follows."""
    if month in ("may", "march") and not year:
        return []
    number = _MONTHS.index(month[:3].lower()) + 1
    return [Day(_number(day), number, int(year) if year else None)]


def _number(day: str) -> int:
    return int(day.rstrip("stndrhSTNDRH"))


def _span(count: str, unit: str) -> Sequence[Value]:
    word = count.lower()
    number = _NUMBERS.index(word) + 1 if word in _NUMBERS else 1 if word[0] == "a" else int(word)
    return [Span(number * _UNITS[unit.lower()])]


def _half_day(hours: str, minutes: str, half: str) -> Sequence[Value]:
    if not 1 <= int(hours) <= 12:
        return []
    return _clock(str(int(hours) % 12 + (12 if half in "pP" else 0)), minutes)


def _clock(
    hours: str, minutes: str | None = None, seconds: str | None = None, *, offset: int = 0
) -> Sequence[Value]:
    h, m, s = (int(part or 0) for part in (hours, minutes, seconds))
    at = h * 3600 + m * 60 + s
    return [Clock(at, offset)] if m < 60 and s < 60 and at <= DAY else []


def _unsure(hours: str, minutes: str) -> Sequence[Value]:
    """The first time of `2 to 6 p.m.`, or of `14:00 to 6 p.m.`."""
    return [
        clock._replace(half_known=not 1 <= int(hours) <= 12)
        for clock in _clock(hours, minutes)
        if isinstance(clock, Clock)
    ]


def _mark(mark: Mark) -> _Read:
    return lambda: [mark]


# Each kind of phrase: its pattern, and what reads its groups. The first that fits is taken; those
# that begin with a figure stand apart, which halves the search.
_FIGURES: dict[str, tuple[str, _Read]] = {
    "iso": (
        r"(\d{4})-(\d\d)-(\d\d)(?:(?:T|\s+)(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?"
        r"(Z|\+\d\d:?\d\d|(?:(?<=T.{5})|(?<=T.{8}))-\d\d:?\d\d)?)?(?!\d)",
        _iso,
    ),
    "basic_iso": (
        r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d\d:?\d\d)?(?!\d)",
        _iso,
    ),
    "year_first": (
        r"(\d{4})/(\d\d)/(\d\d)(?!\d)",
        lambda year, month, day: [Day(int(day), int(month), int(year))],
    ),
    "dotted": (
        r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)",
        lambda day, month, year: [Day(int(day), int(month), int(year))],
    ),
    "slashed": (r"(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)", _slashed),
    "day_month": (rf"({_day})[\s-]+(?:of\s+)?({_month}){_year}", _date),
    "day": (
        rf"({_day})(?={_to}{_weekday}(?:the\s+)?{_day}\s+(?:of\s+)?{_month})",
        lambda day: [Day(_number(day), None, None)],
    ),
    "half_day": (r"(\d{1,2})(?:[:.](\d\d))?\s*([ap])(?:\.\s?m\.|m\b)", _half_day),
    "unsure": (rf"(\d{{1,2}})(?:[:.](\d\d))?(?={_to}\d{{1,2}}(?:[:.]\d\d)?{_half})", _unsure),
    "military": (r"(\d\d)(\d\d)(?=\s*(?:hours|hrs)\b)", _clock),
    "clock": (r"(\d{1,2})[:h](\d\d)(?::(\d\d))?(?![\d:])", _clock),
}
_WORDS: dict[str, tuple[str, _Read]] = {
    "month_days": (
        rf"({_month})\s+({_day})({_to})({_day}){_year}(?!\d|[:.]\d|{_half}|\s+(?:of\s+)?{_month})",
        _month_days,
    ),
    "month_day": (
        rf"({_month})\s+(?:the\s+)?({_day}){_year}(?!\d|[:.]\d|{_half})",
        lambda month, day, year: _date(day, month, year),
    ),
    "span": (
        rf"for\s+(\d{{1,4}}|an?|{'|'.join(_NUMBERS)})[\s-]+(minute|hour|day|week)s?\b",
        _span,
    ),
    "noon": (r"(?:12\s+)?(?:noon|midday)\b", lambda: [Clock(DAY // 2)]),
    "midnight": (r"(?:12\s+)?midnight\b", lambda: [Clock(MIDNIGHT)]),
    "relative": (
        rf"({'|'.join(_RELATIVE)})\b",
        lambda word: [Relative(_RELATIVE[word.lower()])],
    ),
    "open": (
        r"(?:until|till)\s+further\s+notice\b|indefinitely\b|onwards?\b|open-ended\b"
        r"|no\s+end(?:\s+date)?\s+(?:is\s+|has\s+been\s+)?(?:set|given|known)\b",
        _mark("open"),
    ),
    "next_day": (
        r"(?:next|following)\s+(?:day|morning|afternoon|evening)\b|day\s+after\b",
        _mark("next day"),
    ),
    "from": (
        r"(?:from|since|as\s+of|starting|beginning|commencing|effective|after)\b",
        _mark("from"),
    ),
    "between": (r"between\b", _mark("between")),
    "until": (r"(?:up\s+to|until|till|through|thru)\b", _mark("until")),
    "to": (r"(?:to|(?:and\s+)?(?:ending|finishing))\b", _mark("to")),
    "and": (r"and\b", _mark("and")),
}
_FIRST_LETTERS = "1abcdefijmnostuy"  # 1 as in `12 noon`


def _any_of(phrases: dict[str, tuple[str, _Read]]) -> str:
    return "|".join(f"(?P<{name}>{pattern})" for name, (pattern, _) in phrases.items())


_Readers: TypeAlias = dict[str, tuple[_Read, Sequence[int]]]
"""What reads a match, by the name of its last group, and of which groups."""


@cache  # compiled when first needed: it takes as long as importing all the rest
def _scanner() -> tuple[re.Pattern[str], _Readers]:
    """The regular expression that finds every token, and what reads its matches."""
    token = re.compile(
        rf"(?<![0-9A-Za-z])"
        rf"(?:(?=\d)(?:{_any_of(_FIGURES)})|(?=[{_FIRST_LETTERS}])(?:{_any_of(_WORDS)}))"
        r"|(?P<dash>[-–—−/])",
        re.IGNORECASE | re.ASCII,
    )
    readers: _Readers = {"dash": (_mark("to"), ())}
    for name, (pattern, read) in (_FIGURES | _WORDS).items():
        first = token.groupindex[name] + 1
        readers[name] = read, range(first, first + re.compile(pattern).groups)
    return token, readers
