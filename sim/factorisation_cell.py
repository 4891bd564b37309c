"""The factorisation of one cell: routed and judged decisions, against what theory predicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from sim.axes import (
    DECISIONS,
    FRESHNESS,
    GAP,
    HAZARD,
    TIMES,
    Axis,
    Setting,
    check_counts,
    check_known,
    check_shares,
    check_times,
    setting,
    with_window,
)
from sim.ceiling_cell import CONFIDENCE
from sim.cells import Parameters, Value
from sim.engine import play
from sim.experiments.judged import Judged, judge
from sim.grid import grid
from theory import Factorisation, Timeline, risk_split
from theory.hazards import Constant
from theory.inference import binomial_limits

BLOCK = 65_536
"""Decisions played at a time, so that memory does not grow with their number."""
RATES: dict[str, float] = {"recall": 1.0, "K": 1.0, "S": 1.0, "L": 0.0}
"""Router and judge, where a cell does not say otherwise: perfect."""


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
    decisions: Axis = DECISIONS,
) -> list[Parameters]:
    """A grid of cells for `factorisation_cell`, whose parameters these are, all spelled out."""
    check_times(hazard=hazard, gap=gap, freshness=freshness, window=window)
    check_shares(recall=recall, K=K, S=S, L=L)
    check_counts(decisions=decisions)
    windows = {} if window is None else {"window": window}
    rates = {"recall": recall, "K": K, "S": S, "L": L}
    cells = grid(
        hazard=hazard, gap=gap, freshness=freshness, **windows, **rates, decisions=decisions
    )
    return with_window(cells)


def factorisation_cell(parameters: Parameters, rng: np.random.Generator) -> dict[str, Value]:
    """Play one cell's decisions out, route and judge them, and count what came of them.

    Parameters, each with a default: those of `sim.ceiling_cell`; `recall`, the router's among
    recoverable changes; `K`, `S` and `L`, the judge's rates to keep, to switch with decisive news
    and without. Results: `predicted` accuracy; the counts of `theory.Factorisation.from_counts`;
    `accuracy`, which is theirs, and its exact limits `low` and `high`.

    With `sim.swept.ROUTED` as `common`, routers and judges are compared on the same draws.
    """
    check_known(parameters, (*TIMES, *RATES, "decisions"))
    where = setting(parameters)
    rates = {name: float(parameters.get(name, default)) for name, default in RATES.items()}
    counts: Counter[str] = Counter()
    for judged in _judged(rng, where, rates):
        counts.update(judged.counts)
    right = counts["kept"] + counts["switched_delivered"] + counts["switched_missed"]
    limits = binomial_limits(right, where.decisions, confidence=CONFIDENCE)
    return {
        "predicted": predicted_accuracy(where.hazard, where.timeline, **rates),
        **counts,
        "accuracy": right / where.decisions,
        "low": float(limits.low),
        "high": float(limits.high),
    }


def predicted_accuracy(
    hazard: Constant, timeline: Timeline, *, recall: float, K: float, S: float, L: float
) -> float:
    """The accuracy that follows from hazard, router and judge."""
    split = risk_split(hazard, timeline)
    pi = 1.0 - float(split.safe)
    rho = recall * float(split.recoverable) / pi if pi > 0 else 0.0
    return float(Factorisation(pi, K, rho, S, L).accuracy)


def _judged(rng: np.random.Generator, where: Setting, rates: dict[str, float]) -> Iterator[Judged]:
    """All decisions, a block at a time; draws do not depend on the rates."""
    for done in range(0, where.decisions, BLOCK):
        size = min(BLOCK, where.decisions - done)
        first = play(rng, [where.hazard], where.timeline, size)
        yield judge(
            first, where.timeline, routed=rng.random(size), judged=rng.random(size), **rates
        )
