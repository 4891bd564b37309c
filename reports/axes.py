"""Axes of a grid as the command line takes them: `0.001:0.1:20:log`, `1h,2d`, `0.02/d`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

from theory.errors import BadInput


class ParseValue(Protocol):
    """`parse_duration`, `parse_rate` and their like."""

    def __call__(self, text: str, *, field: str) -> float:
        """The number in `text`."""
        ...


def parse_axis(text: str, parse: ParseValue, *, field: str = "axis") -> list[float]:
    """The values of an axis: parts between commas, each a value or `low:high:n[:log]`.

    A range has n >= 2 values, both ends included, spaced evenly or (log) by a common factor.
    """
    return [value for part in text.split(",") for value in _part(part, parse, field)]


def _part(text: str, parse: ParseValue, field: str) -> list[float]:
    if ":" not in text:
        return [parse(text, field=field)]
    low_text, high_text, *rest = text.split(":")
    if not rest or rest[1:] not in ([], ["log"]):
        raise BadInput(field, text, "must be a value or low:high:n or low:high:n:log")
    low, high = parse(low_text, field=field), parse(high_text, field=field)
    if not low < high:
        raise BadInput(field, text, "must have low < high")
    if len(rest) == 2 and low <= 0:
        raise BadInput(field, text, "must have low > 0, being spaced by a factor")
    steps = _number(rest[0], text, field) - 1
    inner = _by_factor(low, high, steps) if len(rest) == 2 else _evenly(low, high, steps)
    # Twelve digits are the same on every machine; a cell's stream hangs on its exact parameters.
    return [low, *(float(f"{value:.12g}") for value in inner), high]


def _number(count: str, text: str, field: str) -> int:
    from sim.grid import check_fits

    if not (count.strip().isdecimal() and int(count) >= 2):
        raise BadInput(field, text, "must have a whole number n >= 2 of values")
    check_fits(int(count))
    return int(count)


def _evenly(low: float, high: float, steps: int) -> Iterator[float]:
    return (low + (high - low) * step / steps for step in range(1, steps))


def _by_factor(low: float, high: float, steps: int) -> Iterator[float]:
    grown = math.log(high) - math.log(low)
    return (low * math.exp(grown * step / steps) for step in range(1, steps))
