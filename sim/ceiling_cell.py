"""The ceiling experiment of one cell: how often no fact changes, against what theory predicts."""

from __future__ import annotations

import numpy as np

from sim.amount import AMOUNT, amount_axes, counted, reported
from sim.axes import (
    FRESHNESS,
    GAP,
    HAZARD,
    TIMES,
    Axis,
    check_known,
    check_times,
    setting,
    with_window,
)
from sim.cells import Parameters, Value
from sim.engine import count_first_changes
from sim.grid import grid
from theory import ceiling, survival


def ceiling_cells(
    *,
    hazard: Axis = HAZARD,
    gap: Axis = GAP,
    freshness: Axis = FRESHNESS,
    window: Axis | None = None,
    decisions: Axis | None = None,
    precision: Axis | None = None,
    alpha: Axis | None = None,
    most: Axis | None = None,
) -> list[Parameters]:
    """A grid of cells for `ceiling_cell`, whose parameters these are.

    Each cell holds all its parameters, by default its gap as `window`, so that it draws the same
    numbers whether they were spelled out or not. How many decisions it plays is given by
    `decisions`, or follows from `precision`, `alpha` and `most` (see `sim.amount`).
    """
    check_times(hazard=hazard, gap=gap, freshness=freshness, window=window)
    amount = amount_axes(decisions, precision, alpha, most)
    windows = {} if window is None else {"window": window}
    cells = grid(hazard=hazard, gap=gap, freshness=freshness, **windows, **amount)
    return with_window(cells)


def ceiling_cell(parameters: Parameters, rng: np.random.Generator) -> dict[str, Value]:
    """Play one cell's decisions out on one fact each, and count the changes.

    Parameters, each with a default: `hazard`, the fact's rate; `gap`, the execution gap;
    `freshness`, the freshness gap; `window`, from decision to deadline; those of `sim.amount`.
    Results: `predicted` P(no change) and the `ceiling` on it; the counts of `FirstChanges`;
    `share`, the share without a change, and its limits `low` and `high`; under a precision first
    the `decisions` that it took and the `half_width` reached.
    """
    check_known(parameters, (*TIMES, *AMOUNT))
    hazard, timeline = setting(parameters)

    def count(decisions: int) -> dict[str, int]:
        return count_first_changes(rng, [hazard], timeline, decisions)._asdict()

    found = counted(parameters, count, ("safe",))
    return {
        **reported(found, parameters),
        "predicted": float(survival(hazard, timeline)),
        "ceiling": float(ceiling(hazard, timeline)),
        **found.counts,
        "share": found.successes / found.decisions,
        "low": found.low,
        "high": found.high,
    }
