"""The factorisation of one cell: routed and judged decisions, against what theory predicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sim.amount import AMOUNT, amount_axes, counted, reported
from sim.axes import (
    FRESHNESS,
    GAP,
    HAZARD,
    TIMES,
    Axis,
    Setting,
    check_known,
    check_shares,
    check_times,
    setting,
    with_window,
)
from sim.cells import Parameters, Value
from sim.engine import play
from sim.experiments.judged import Judged, judge
from sim.grid import grid
from theory import Factorisation, Timeline, risk_split
from theory.hazards import Constant

BLOCK = 65_536
"""Decisions played at a time, so that memory does not grow with their number."""
RATES: dict[str, float] = {"recall": 1.0, "K": 1.0, "S": 1.0, "L": 0.0}
"""Router and judge, where a cell does not say otherwise: perfect."""


class Draws(NamedTuple):
    """A stream for each who draws: a decision's numbers do not depend on how many are played."""

    facts: np.random.Generator
    router: np.random.Generator
    judge: np.random.Generator


def factorisation_cells(
    *,
    hazard: Axis = HAZARD,
    gap: Axis = GAP,
    freshness: Axis = FRESHNESS,
    window: Axis | None = None,
    recall: Axis = RATES["recall"],
    K: Axis = RATES["K"],
    S: Axis = RATES["S"],
    L: Axis = RATES["L"],
    decisions: Axis | None = None,
    precision: Axis | None = None,
    alpha: Axis | None = None,
    most: Axis | None = None,
) -> list[Parameters]:
    """A grid of cells for `factorisation_cell`, whose parameters these are, all spelled out."""
    check_times(hazard=hazard, gap=gap, freshness=freshness, window=window)
    check_shares(recall=recall, K=K, S=S, L=L)
    amount = amount_axes(decisions, precision, alpha, most)
    windows = {} if window is None else {"window": window}
    rates = {"recall": recall, "K": K, "S": S, "L": L}
    cells = grid(hazard=hazard, gap=gap, freshness=freshness, **windows, **rates, **amount)
    return with_window(cells)


def factorisation_cell(parameters: Parameters, rng: np.random.Generator) -> dict[str, Value]:
    """Play one cell's decisions out, route and judge them, and count what came of them.

    Parameters, each with a default: those of `sim.ceiling_cell`; `recall`, the router's among
    recoverable changes; `K`, `S` and `L`, the judge's rates to keep, to switch with decisive news
    and without. Results: `predicted` accuracy; the counts of `theory.Factorisation.from_counts`;
    `accuracy`, which is theirs, and its limits `low` and `high`; under a precision first the
    `decisions` that it took and the `half_width` reached.

    With `sim.swept.ROUTED` as `common`, routers and judges are compared on the same draws.
    """
    check_known(parameters, (*TIMES, *RATES, *AMOUNT))
    where = setting(parameters)
    rates = {name: float(parameters.get(name, default)) for name, default in RATES.items()}

    draws = Draws(*rng.spawn(3))

    def count(decisions: int) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for judged in _judged(draws, where, rates, decisions):
            counts.update(judged.counts)
        return counts

    found = counted(parameters, count, ("kept", "switched_delivered", "switched_missed"))
    return {
        **reported(found, parameters),
        "predicted": predicted_accuracy(where.hazard, where.timeline, **rates),
        **found.counts,
        "accuracy": found.successes / found.decisions,
        "low": found.low,
        "high": found.high,
    }


def predicted_accuracy(
    hazard: Constant, timeline: Timeline, *, recall: float, K: float, S: float, L: float
) -> float:
    """The accuracy that follows from hazard, router and judge."""
    split = risk_split(hazard, timeline)
    pi = 1.0 - float(split.safe)
    rho = recall * float(split.recoverable) / pi if pi > 0 else 0.0
    return float(Factorisation(pi, K, rho, S, L).accuracy)


def _judged(
    draws: Draws, where: Setting, rates: dict[str, float], decisions: int
) -> Iterator[Judged]:
    """All decisions, a block at a time."""
    for done in range(0, decisions, BLOCK):
        size = min(BLOCK, decisions - done)
        yield judge(
            play(draws.facts, [where.hazard], where.timeline, size),
            where.timeline,
            routed=draws.router.random(size),
            judged=draws.judge.random(size),
            **rates,
        )
