"""Accuracy of routed and judged decisions against the factorisation of its rates."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from sim.cells import Parameters
from sim.engines import Engine
from sim.experiments.experiment import Count, Experiment, Measurement
from sim.experiments.judged import judge
from theory import Constant, Factorisation, Timeline, risk_split

JUDGES = {
    "perfect": (1.0, 1.0, 0.0),
    "careful": (0.95, 0.9, 0.02),
    "eager": (0.6, 0.98, 0.3),
    "weak": (0.8, 0.5, 0.1),
}
"""Simulated judges: keep rate K, switch rate S with decisive news and L without."""


def _setting(cell: Parameters, stretch: float = 1.0) -> tuple[Constant, Timeline]:
    gap = float(cell["gap"]) * stretch
    timeline = Timeline.from_gaps(gap, freshness_gap=6.0, window=0.8 * gap)
    return Constant(float(cell["hazard"])), timeline


def measure(
    play: Engine, rng: np.random.Generator, cell: Parameters, decisions: int
) -> Measurement:
    """Count decisions that end up right, should change, and were reached by decisive news."""
    hazard, timeline = _setting(cell)
    K, S, L = JUDGES[str(cell["judge"])]
    first = play(rng, [hazard], timeline, decisions)
    routed, judged = rng.random(decisions), rng.random(decisions)
    run = judge(
        first, timeline, routed=routed, judged=judged, recall=float(cell["recall"]), K=K, S=S, L=L
    )
    right, changing, delivered = (
        int(np.count_nonzero(flags)) for flags in (run.right, run.changing, run.delivered)
    )
    counts = [Count("accuracy", right, decisions), Count("pi", changing, decisions)]
    if changing:
        counts.append(Count("rho", delivered, changing))
    return Measurement(
        counts, identities_hold=run.factorisation.accuracy == Fraction(right, decisions)
    )


def predict(cell: Parameters, stretch: float) -> Mapping[str, float]:
    """Accuracy from pi and rho, which follow from the hazard, and the judge's own rates."""
    hazard, timeline = _setting(cell, stretch)
    K, S, L = JUDGES[str(cell["judge"])]
    split = risk_split(hazard, timeline)
    pi = 1 - float(split.safe)
    rho = float(cell["recall"]) * float(split.recoverable) / pi
    return {"accuracy": float(Factorisation(pi, K, rho, S, L).accuracy), "pi": pi, "rho": rho}


EXPERIMENT = Experiment(
    claim="factorisation",
    measures=(
        "Measured accuracy equals the factorisation of the measured rates to the last digit, and "
        "its predicted value within exact limits."
    ),
    axes={
        "hazard": (0.001, 0.003, 0.01, 0.03, 0.1),
        "gap": (24.0, 48.0, 96.0, 144.0, 240.0),
        "recall": (0.0, 0.3, 0.7, 1.0),
        "judge": tuple(JUDGES),
    },
    measure=measure,
    predict=predict,
)
