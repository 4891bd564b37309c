"""What the cells of swept experiments have in common: axes, their defaults and their checks."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

from sim.cells import Parameters
from theory import BadInput, Constant, Timeline
from theory.arrays import Floats, at_least, finite, probability

Axis: TypeAlias = float | Collection[float]
"""The values of a parameter, or one."""
Names: TypeAlias = str | Collection[str]
"""The same, of names."""

HAZARD, GAP, FRESHNESS = 0.01, 24.0, 0.0
"""Per hour, and hours, where a cell does not say otherwise."""
DECISIONS = 20_000
"""Played out in a cell that does not say otherwise."""
TIMES = ("hazard", "gap", "freshness", "window")


class Setting(NamedTuple):
    """Where the decisions of a cell are."""

    hazard: Constant
    timeline: Timeline


def setting(parameters: Parameters) -> Setting:
    """A cell's hazard and timeline, with the gap as its window by default."""
    gap = float(parameters.get("gap", GAP))
    timeline = Timeline.from_gaps(
        gap,
        freshness_gap=float(parameters.get("freshness", FRESHNESS)),
        window=float(parameters.get("window", gap)),
    )
    return Setting(Constant(float(parameters.get("hazard", HAZARD))), timeline)


def check_times(*, hazard: Axis, gap: Axis, freshness: Axis, window: Axis | None) -> None:
    """Refuse times that no decision can have; a window must fit into every gap."""
    for name, axis in (("hazard", hazard), ("freshness", freshness)):
        at_least(name, _column(name, axis), 0.0)
    shortest = float(_positive("gap", gap).min())
    if window is not None:
        longest = float(_positive("window", window).max())
        if longest > shortest:
            raise BadInput("window", longest, f"must be <= the shortest gap(={shortest:g})")


def check_shares(**axes: Axis) -> None:
    """Refuse values outside [0, 1]."""
    for name, axis in axes.items():
        probability(name, _column(name, axis))


def check_inside(name: str, axis: Axis, high: float) -> None:
    """Refuse values that are not between 0 and `high`, both excluded."""
    column = finite(name, _column(name, axis))
    for value in column:
        if not 0 < value < high:
            raise BadInput(name, float(value), f"must be > 0 and < {high:g}")


def check_counts(**axes: Axis) -> None:
    """Refuse values that are no whole numbers >= 1."""
    for name, axis in axes.items():
        column = at_least(name, _column(name, axis), 1.0)
        if (column != np.floor(column)).any():
            raise BadInput(name, axis, "must be whole numbers")


def check_known(parameters: Parameters, known: Iterable[str]) -> None:
    """Refuse a cell with a parameter that its experiment does not know.

    It may have a `seed`, which does nothing but tell it from others.
    """
    names = [*known, "seed"]
    for name, value in parameters.items():
        if name not in names:
            raise BadInput(name, value, f"is no parameter: there are {', '.join(names)}")


def with_window(cells: Iterable[Parameters]) -> list[Parameters]:
    """Cells that hold a window, by default their gap, after their freshness gap.

    They then draw the same numbers whether it was spelled out or not.
    """
    return [
        {
            **{name: cell[name] for name in TIMES if name != "window"},
            "window": cell.get("window", cell["gap"]),
            **cell,
        }
        for cell in cells
    ]


def _positive(name: str, axis: Axis) -> Floats:
    column = at_least(name, _column(name, axis), 0.0)
    if (column == 0).any():
        raise BadInput(name, 0.0, "must be > 0")
    return column


def _column(name: str, axis: Axis) -> Floats:
    """The values of an axis, at least one."""
    column = np.asarray(list(axis) if isinstance(axis, Collection) else [axis], dtype=np.float64)
    if column.size == 0:
        raise BadInput(name, [], "must hold at least one value")
    return column
