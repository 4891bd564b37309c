"""Times on a ledger's clock: hours from an epoch, as numbers or as ISO 8601 with an offset."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Literal, Self, TypeAlias

from theory.errors import BadInput

TimeKind: TypeAlias = Literal["number", "iso"]
"""How a ledger's times are written; one kind in each ledger and file."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""Where hours count from by default."""

_HOUR = timedelta(hours=1)


class Moment(float):
    """Hours from an epoch that remember the ISO 8601 text they were read from."""

    text: str
    """The time as it was given."""

    def __new__(cls, hours: float, text: str) -> Self:  # noqa: D102 (a constructor)
        moment = super().__new__(cls, hours)
        moment.text = text
        return moment

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        return float(self), self.text


def read_epoch(value: datetime | str) -> datetime:
    """An epoch from ISO 8601 text or an aware datetime, in UTC."""
    return _aware("epoch", value).astimezone(UTC)


def read_time(field: str, value: object, epoch: datetime) -> float:
    """Hours from `epoch`: a finite number as it is, ISO 8601 text with an offset as a `Moment`."""
    if type(value) is float and math.isfinite(value):  # nearly every time
        return value
    if isinstance(value, Moment):
        return value
    if isinstance(value, str):
        return _read_iso(field, value, epoch)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(field, value, "must be a number of hours or ISO 8601 text with an offset")
    try:
        hours = float(value)
    except OverflowError:
        hours = math.inf
    if not math.isfinite(hours):
        raise BadInput(field, value, "must be finite")
    return hours


def write_time(hours: float, kind: TimeKind | None, epoch: datetime) -> float | str:
    """A time as a ledger of this kind writes it: ISO 8601 as it was read, computed times in UTC."""
    if kind != "iso":
        return float(hours)
    if isinstance(hours, Moment):
        return hours.text
    try:
        return (epoch + timedelta(hours=hours)).isoformat().replace("+00:00", "Z")
    except OverflowError:  # a clock that counts in something else than hours
        return hours


def told(hours: float, kind: TimeKind | None, epoch: datetime) -> str:
    """The same for error lines."""
    time = write_time(hours, kind, epoch)
    return time if isinstance(time, str) else f"{time:.15g}"


def shown(time: float) -> str:
    """A time as it was given, for error lines."""
    return time.text if isinstance(time, Moment) else f"{time:.15g}"


def kind_of(time: float) -> TimeKind:
    """The kind in which this time was given."""
    return "iso" if isinstance(time, Moment) else "number"


def hours_since(epoch: datetime) -> float:
    """The wall clock, in hours from `epoch`."""
    return (datetime.now(UTC) - epoch) / _HOUR


def _read_iso(field: str, text: str, epoch: datetime) -> Moment:
    return Moment((_aware(field, text) - epoch) / _HOUR, text)


def _aware(field: str, value: datetime | str) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        moment = None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        rule = "must be ISO 8601 with an offset, such as 2026-05-04T09:00Z"
        raise BadInput(field, value, rule)
    return moment
