"""One fact a decision: the share that still holds at action, over hazard, gap and freshness."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.cells import Parameters
from sim.engines import Engine
from sim.experiments.experiment import Count, Experiment, Measurement
from theory import Constant, Timeline, ceiling, survival


def _setting(cell: Parameters, stretch: float = 1.0) -> tuple[Constant, Timeline]:
    gap, freshness = float(cell["gap"]) * stretch, float(cell["freshness"])
    return Constant(float(cell["hazard"])), Timeline.from_gaps(gap, freshness_gap=freshness)


def measure(
    play: Engine, rng: np.random.Generator, cell: Parameters, decisions: int
) -> Measurement:
    """Count the decisions whose fact did not change from verification to action."""
    hazard, timeline = _setting(cell)
    holding = int(np.count_nonzero(play(rng, [hazard], timeline, decisions) > timeline.action))
    return Measurement(
        [Count("no change", holding, decisions), Count("ceiling", holding, decisions, "above")]
    )


def predict(cell: Parameters, stretch: float) -> Mapping[str, float]:
    """The survival, which is met, and the ceiling, which is not exceeded."""
    hazard, timeline = _setting(cell, stretch)
    return {
        "no change": float(survival(hazard, timeline)),
        "ceiling": float(ceiling(hazard, timeline)),
    }


EXPERIMENT = Experiment(
    claim="freshness-ceiling",
    measures=(
        "The share of decisions whose fact did not change from verification to action equals "
        "the survival and does not exceed the ceiling of the execution gap."
    ),
    axes={
        "hazard": (0.001, 0.003, 0.01, 0.03, 0.1),
        "gap": tuple(float(gap) for gap in range(12, 241, 12)),
        "freshness": (0.0, 12.0, 48.0, 120.0),
    },
    measure=measure,
    predict=predict,
)
