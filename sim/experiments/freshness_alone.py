"""No routing: accuracy is the share of decisions that should stand, known from hazards."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from sim.cells import Parameters
from sim.engines import Engine
from sim.experiments.experiment import Count, Experiment, Measurement
from sim.experiments.judged import judge
from theory import Constant, Timeline, survival


def _setting(cell: Parameters, stretch: float = 1.0) -> tuple[list[Constant], Timeline]:
    """Two facts, one changing twice as often as the other, and the timeline."""
    hazard, gap = float(cell["hazard"]), float(cell["gap"]) * stretch
    timeline = Timeline.from_gaps(gap, freshness_gap=float(cell["freshness"]), window=gap / 2)
    return [Constant(hazard), Constant(2 * hazard)], timeline


def measure(
    play: Engine, rng: np.random.Generator, cell: Parameters, decisions: int
) -> Measurement:
    """Count decisions that are right though none was routed anything."""
    hazards, timeline = _setting(cell)
    first = play(rng, hazards, timeline, decisions)
    draws = rng.random(decisions)
    run = judge(first, timeline, routed=draws, judged=draws, recall=0.0, K=1.0, S=1.0, L=0.0)
    rates = run.factorisation
    right = int(np.count_nonzero(run.right))
    return Measurement(
        [Count("accuracy", right, decisions)],
        identities_hold=Fraction(right, decisions) == 1 - rates.pi,
    )


def predict(cell: Parameters, stretch: float) -> Mapping[str, float]:
    """1 - pi, the survival of both facts."""
    return {"accuracy": float(survival(*_setting(cell, stretch)))}


EXPERIMENT = Experiment(
    claim="freshness-alone",
    measures=(
        "Accuracy without routing equals the share of decisions that should stand to the last "
        "digit, and the survival of their facts within exact limits."
    ),
    axes={
        "hazard": (0.0005, 0.001, 0.003, 0.01, 0.03),
        "gap": tuple(float(gap) for gap in range(12, 241, 12)),
        "freshness": (0.0, 6.0, 24.0, 72.0),
    },
    measure=measure,
    predict=predict,
)
