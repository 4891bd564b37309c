"""Grids: every combination of the values of some axes, one cell each."""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from itertools import product

from sim.cells import Parameters, Value
from theory.errors import BadInput

_BYTES_PER_CELL = 1024
_BYTES_PER_VALUE = 64
"""About what a cell and each of its parameters take, with the row that a sweep makes of it."""


def grid(**axes: Value | Collection[Value]) -> list[Parameters]:
    """The cells of a grid, the last axis running fastest; a single value is an axis of one.

    Refuses an empty axis, a value that is NaN or repeated, and a grid that would not fit in memory.
    """
    if not axes:
        raise BadInput("grid", "", "must have at least one axis")
    spread = {name: _sized(values) for name, values in axes.items()}
    for name, values in spread.items():
        if len(values) == 0:
            raise BadInput(name, [], "must hold at least one value")
    check_fits(math.prod(len(values) for values in spread.values()), len(spread))
    columns = [_column(name, values) for name, values in spread.items()]
    return [dict(zip(spread, cell, strict=True)) for cell in product(*columns)]


def check_fits(cells: int, axes: int = 1) -> None:
    """Refuse, before it is made, a grid that would fill over half of this machine's memory."""
    needed = cells * (_BYTES_PER_CELL + axes * _BYTES_PER_VALUE)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > memory / 2:
        raise BadInput(
            "grid",
            f"{cells:,} cells",
            f"would need {needed / 1e9:,.0f} GB, over half of the {memory / 1e9:,.0f} GB here",
        )


def _sized(values: Value | Collection[Value]) -> Collection[Value]:
    return (values,) if isinstance(values, str) or not isinstance(values, Collection) else values


def _column(name: str, values: Collection[Value]) -> list[Value]:
    column = [_plain(name, value) for value in values]
    seen: set[Value] = set()
    for value in column:
        if value in seen:
            raise BadInput(name, value, "must not be repeated")
        seen.add(value)
    return column


def _plain(name: str, value: object) -> Value:
    """The value as Python's own number or text."""
    plain = value.item() if hasattr(value, "item") else value
    if not isinstance(plain, float | int | str) or plain != plain:
        raise BadInput(name, value, "must be a number or text, not NaN")
    return plain
