"""The ceiling experiment of one cell: how often no fact changes, against what theory predicts."""

from __future__ import annotations

import numpy as np

from sim.axes import (
    DECISIONS,
    FRESHNESS,
    GAP,
    HAZARD,
    TIMES,
    Axis,
    check_counts,
    check_known,
    check_times,
    setting,
    with_window,
)
from sim.cells import Parameters, Value
from sim.engine import count_first_changes
from sim.grid import grid
from theory import ceiling, survival
from theory.inference import binomial_limits

CONFIDENCE = 0.95
"""Of the limits in each cell, taken by itself."""


def ceiling_cells(
    *,
    hazard: Axis = HAZARD,
    gap: Axis = GAP,
    freshness: Axis = FRESHNESS,
    window: Axis | None = None,
    decisions: Axis = DECISIONS,
) -> list[Parameters]:
    """A grid of cells for `ceiling_cell`, whose parameters these are.

    Each cell holds all its parameters, by default its gap as `window`, so that it draws the same
    numbers whether they were spelled out or not.
    """
    check_times(hazard=hazard, gap=gap, freshness=freshness, window=window)
    check_counts(decisions=decisions)
    windows = {} if window is None else {"window": window}
    cells = grid(hazard=hazard, gap=gap, freshness=freshness, **windows, decisions=decisions)
    return with_window(cells)


def ceiling_cell(parameters: Parameters, rng: np.random.Generator) -> dict[str, Value]:
    """Play one cell's decisions out on one fact each, and count the changes.

    Parameters, each with a default: `hazard`, the fact's rate; `gap`, the execution gap;
    `freshness`, the freshness gap; `window`, from decision to deadline; `decisions`. Results:
    `predicted` P(no change) and the `ceiling` on it; the counts of `FirstChanges`; `share`, the
    share without a change, and its exact limits `low` and `high`.
    """
    check_known(parameters, (*TIMES, "decisions"))
    hazard, timeline, decisions = setting(parameters)
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
