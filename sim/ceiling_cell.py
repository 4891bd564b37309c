"""The ceiling experiment of one cell: how often no fact changes, against what theory predicts."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

import numpy as np

from sim.cells import Parameters, Value
from sim.engine import count_first_changes
from sim.grid import grid
from theory import BadInput, Constant, Timeline, ceiling, survival
from theory.arrays import Floats, at_least
from theory.inference import binomial_limits

Axis: TypeAlias = float | Collection[float]

CONFIDENCE = 0.95
"""Of the limits in each cell, taken by itself."""


def ceiling_cells(
    *,
    hazard: Axis,
    gap: Axis,
    freshness: Axis = 0.0,
    window: Axis | None = None,
    decisions: int = 20_000,
) -> list[Parameters]:
    """A grid of cells for `ceiling_cell`, whose parameters these are.

    Each cell holds all its parameters, by default its gap as `window`, so that it draws the same
    numbers whether they were spelled out or not.
    """
    if decisions < 1:
        raise BadInput("decisions", decisions, "must be >= 1")
    axes = {"hazard": hazard, "gap": gap, "freshness": freshness}
    if window is not None:
        axes["window"] = window
    for name, values in axes.items():
        _check_axis(name, values, positive=name in ("gap", "window"))
    if window is not None:
        longest, shortest = float(_values(window).max()), float(_values(gap).min())
        if longest > shortest:
            raise BadInput("window", longest, f"must be <= the shortest gap(={shortest:g})")
    return [
        {**cell, "window": cell.get("window", cell["gap"]), "decisions": decisions}
        for cell in grid(**axes)
    ]


def ceiling_cell(parameters: Parameters, rng: np.random.Generator) -> dict[str, Value]:
    """Play one cell's decisions out on one fact each, and count the changes.

    Parameters: `hazard`, the fact's rate; `gap`, the execution gap; `freshness`, the freshness gap
    (0 if absent); `window`, from decision to deadline (the gap if absent); `decisions`. Results:
    `predicted` P(no change) and the `ceiling` on it; the counts of `FirstChanges`; `share`, the
    share without a change, and its exact limits `low` and `high`.
    """
    gap, decisions = float(parameters["gap"]), int(parameters["decisions"])
    timeline = Timeline.from_gaps(
        gap,
        freshness_gap=float(parameters.get("freshness", 0.0)),
        window=float(parameters.get("window", gap)),
    )
    hazard = Constant(float(parameters["hazard"]))
    counts = count_first_changes(rng, [hazard], timeline, decisions)
    limits = binomial_limits(counts.safe, decisions, confidence=CONFIDENCE)
    return {
        "predicted": float(survival(hazard, timeline)),
        "ceiling": float(ceiling(hazard, timeline)),
        **counts._asdict(),
        "share": counts.safe / decisions,
        "low": float(limits.low),
        "high": float(limits.high),
    }


def _check_axis(name: str, axis: Axis, *, positive: bool) -> None:
    values = at_least(name, _values(axis), 0.0)
    if values.size == 0:
        raise BadInput(name, [], "must hold at least one value")
    if positive and (values == 0).any():
        raise BadInput(name, 0.0, "must be > 0")


def _values(axis: Axis) -> Floats:
    return np.asarray(list(axis) if isinstance(axis, Collection) else [axis], dtype=np.float64)
