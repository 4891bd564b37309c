"""Times as logs write them, in text or in columns, and the hours they stand for.

A log keeps one of three clocks: ISO 8601 with an offset (hours from 1970-01-01T00:00Z), ISO 8601
without one (the same, read as one clock that never shifts), or plain numbers, which are hours.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

import polars as pl

from theory.errors import BadInput


class TimeKind(StrEnum):
    """How a log writes its times."""

    NUMBER = "number"
    OFFSET = "offset"
    NAIVE = "naive"

    @property
    def words(self) -> str:
        """The kind, for error lines."""
        return _WORDS[self]


_WORDS = {
    TimeKind.NUMBER: "a plain number of hours",
    TimeKind.OFFSET: "an ISO 8601 time with an offset, such as 2024-05-01T12:00Z",
    TimeKind.NAIVE: "an ISO 8601 time without an offset, such as 2024-05-01T12:00",
}
_KINDS = pl.Enum([kind.value for kind in TimeKind])

_DATE = r"\d{4}-\d\d-\d\d"
_MINUTE = _DATE + r"T(?:[01]\d|2[0-3]):[0-5]\d"
_SECOND = _MINUTE + r":[0-5]\d(?:\.\d{1,9})?"
_OFFSET = r"(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)"
_FORMS = (
    # The commonest form goes first and unchecked, several times as fast to read.
    (TimeKind.OFFSET, None, "%Y-%m-%dT%H:%M:%SZ"),
    (TimeKind.OFFSET, rf"^{_SECOND}{_OFFSET}$", "%Y-%m-%dT%H:%M:%S%.f%#z"),
    (TimeKind.OFFSET, rf"^{_MINUTE}{_OFFSET}$", "%Y-%m-%dT%H:%M%#z"),
    (TimeKind.NAIVE, rf"^{_SECOND}$", "%Y-%m-%dT%H:%M:%S%.f"),
    (TimeKind.NAIVE, rf"^{_MINUTE}$", "%Y-%m-%dT%H:%M"),
    (TimeKind.NAIVE, rf"^{_DATE}$", "%Y-%m-%d"),
)
_PER_HOUR = {"ms": 3.6e6, "us": 3.6e9, "ns": 3.6e12}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = (datetime(1, 1, 2, tzinfo=UTC) - _EPOCH) / timedelta(hours=1)
_LAST = (datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH) / timedelta(hours=1)


class Times(NamedTuple):
    """A column of times; both series have a null for each cell that is empty."""

    hours: pl.Series
    """Float64; null also where the cell is no time."""
    kind: pl.Series
    """A `TimeKind`; null also where the cell is no time."""


def read_times(column: pl.Series) -> Times:
    """The times of a column of text, numbers or dates; blank text is an empty cell."""
    dtype = column.dtype
    if isinstance(dtype, pl.String):
        return _read_text(column)
    if dtype.is_numeric() or isinstance(dtype, pl.Null):
        return _of_kind(column.cast(pl.Float64), TimeKind.NUMBER)
    if isinstance(dtype, pl.Date):
        return _of_kind(column.to_physical().cast(pl.Float64) * 24, TimeKind.NAIVE)
    if isinstance(dtype, pl.Datetime):
        hours = column.to_physical().cast(pl.Float64) / _PER_HOUR[dtype.time_unit]
        return _of_kind(hours, TimeKind.NAIVE if dtype.time_zone is None else TimeKind.OFFSET)
    raise BadInput(column.name, str(dtype), "must be a column of times, text or numbers")


def read_time(text: str, kind: TimeKind, *, field: str) -> float:
    """Hours of one time, which must be of the kind that the log's times are."""
    times = read_times(pl.Series(field, [text]))
    if times.hours[0] is None or times.kind[0] != kind:
        raise BadInput(field, text, f"must be {kind.words}, as the log's times are")
    if not in_range(times).all():
        raise BadInput(field, text, OUT_OF_RANGE)
    return float(times.hours[0])


OUT_OF_RANGE = "must be finite and within the years 1 to 9999, or 1e12 hours of zero"


def in_range(times: Times) -> pl.Series:
    """Which times can be computed with, and shown; null for empty cells."""
    hours = times.hours
    numbers = times.kind == TimeKind.NUMBER
    dates = hours.is_between(_FIRST, _LAST)
    return (numbers & (hours.abs() <= 1e12)) | (~numbers & dates)


def show_time(hours: float, kind: TimeKind) -> str:
    """A time as its log writes it, to the second or finer."""
    if kind is TimeKind.NUMBER:
        return f"{hours:g}"
    moment = _EPOCH + timedelta(microseconds=round(hours * 3.6e9))
    text = moment.replace(tzinfo=None).isoformat()
    return f"{text}Z" if kind is TimeKind.OFFSET else text


def _of_kind(hours: pl.Series, kind: TimeKind) -> Times:
    kinds = pl.Series([kind.value], dtype=_KINDS).new_from_index(0, hours.len())
    return Times(hours, kinds.set(hours.is_null(), None))


def _read_text(text: pl.Series) -> Times:
    times = _read_forms(text)
    odd = (text.is_not_null() & times.kind.is_null()).arg_true()
    if odd.is_empty():
        return times
    tidied = text.gather(odd).str.strip_chars().str.to_uppercase()
    tidied = tidied.str.replace(r"^(\S{10}) (\S)", "${1}T${2}").str.replace(r"(:\d\d),", "${1}.")
    again = _read_forms(tidied)
    return Times(times.hours.scatter(odd, again.hours), times.kind.scatter(odd, again.kind))


def _read_forms(text: pl.Series) -> Times:
    """Numbers, then form by form what is still unread."""
    hours = text.cast(pl.Float64, strict=False)
    kind = _of_kind(hours, TimeKind.NUMBER).kind
    for form_kind, pattern, form in _FORMS:
        rows = (text.is_not_null() & kind.is_null()).arg_true()
        cells = text if rows.len() == text.len() else text.gather(rows)
        if pattern is not None:
            matches = cells.str.contains(pattern)
            rows, cells = rows.filter(matches), cells.filter(matches)
        if rows.is_empty():
            continue
        moments = cells.str.to_datetime(form, strict=False, time_unit="us")
        found = _of_kind(moments.to_physical().cast(pl.Float64) / _PER_HOUR["us"], form_kind)
        hours, kind = hours.scatter(rows, found.hours), kind.scatter(rows, found.kind)
    return Times(hours, kind)
