"""Durations and rates with units, as the command line takes them: `36h`, `0.02/d`.

The unit of the clock is the hour; a bare number is in hours, or per hour.
"""

from __future__ import annotations

import math
import re

from theory.errors import BadInput

HOURS = {"s": 1 / 3600, "m": 1 / 60, "min": 1 / 60, "h": 1.0, "d": 24.0, "w": 168.0}
"""Hours in each unit."""

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_DURATION = re.compile(rf"\s*({_NUMBER})\s*([a-z]*)\s*")
_RATE = re.compile(rf"\s*({_NUMBER})\s*(?:/\s*([a-z]+))?\s*")
_SHARE = re.compile(rf"\s*({_NUMBER})\s*(%?)\s*")
_COUNT = re.compile(rf"\s*({_NUMBER})()\s*")


def parse_duration(text: str, *, field: str = "duration") -> float:
    """Hours in `text`, such as `36h`, `2d`, `90min` or `12`."""
    number, unit = _parts(_DURATION, text, field, "a duration such as 36h, 2d or 90min")
    return _finite(number * _hours(unit or "h", text, field), text, field)


def parse_rate(text: str, *, field: str = "rate") -> float:
    """Changes per hour in `text`, such as `0.02/d` or `0.001`."""
    number, unit = _parts(_RATE, text, field, "a rate such as 0.02/d or 0.001")
    return _finite(number / _hours(unit or "h", text, field), text, field)


def parse_share(text: str, *, field: str = "share") -> float:
    """The number from 0 to 1 in `text`, such as `0.25` or `25%`."""
    number, percent = _parts(_SHARE, text, field, "a share such as 0.25 or 25%")
    share = number / 100 if percent else number
    if not 0 <= share <= 1:
        raise BadInput(field, text, "must be between 0 and 1")
    return share


def parse_count(text: str, *, field: str = "count") -> float:
    """The whole number >= 1 in `text`, such as `20000` or `1e6`."""
    number, _ = _parts(_COUNT, text, field, "a whole number")
    if not (number >= 1 and number.is_integer()):
        raise BadInput(field, text, "must be a whole number >= 1")
    return number


def _parts(pattern: re.Pattern[str], text: str, field: str, what: str) -> tuple[float, str | None]:
    match = pattern.fullmatch(text)
    if match is None:
        raise BadInput(field, text, f"must be {what}")
    return float(match[1]), match[2]


def _hours(unit: str, text: str, field: str) -> float:
    if unit not in HOURS:
        raise BadInput(field, text, f"must have a unit among {', '.join(HOURS)}")
    return HOURS[unit]


def _finite(value: float, text: str, field: str) -> float:
    if not math.isfinite(value):
        raise BadInput(field, text, "must be finite")
    return value
