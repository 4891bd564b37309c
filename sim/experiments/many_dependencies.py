"""Several facts a decision, and one more: hazards add, and each that can change tightens."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.cells import Parameters
from sim.engines import Engine
from sim.experiments.experiment import Count, Experiment, Measurement
from theory import Constant, Timeline, survival


def _setting(cell: Parameters, stretch: float = 1.0) -> tuple[list[Constant], Constant, Timeline]:
    """Facts whose hazards fall as 1, 1/2, 1/3 ..., one more fact, and the timeline."""
    facts = [Constant(float(cell["hazard"]) / rank) for rank in range(1, int(cell["facts"]) + 1)]
    return facts, Constant(float(cell["more"])), Timeline.from_gaps(float(cell["gap"]) * stretch)


def measure(
    play: Engine, rng: np.random.Generator, cell: Parameters, decisions: int
) -> Measurement:
    """Count decisions none of whose facts changed, without and with one more fact."""
    facts, more, timeline = _setting(cell)
    without = play(rng, facts, timeline, decisions) > timeline.action
    together = without & (play(rng, [more], timeline, decisions) > timeline.action)
    before, after = int(np.count_nonzero(without)), int(np.count_nonzero(together))
    return Measurement(
        [Count("one more fact", after, decisions), Count("facts", before, decisions)],
        identities_hold=(after < before) == (more.rate > 0),
    )


def predict(cell: Parameters, stretch: float) -> Mapping[str, float]:
    """The survival at the sum of the hazards."""
    facts, more, timeline = _setting(cell, stretch)
    return {
        "one more fact": float(survival([*facts, more], timeline)),
        "facts": float(survival(facts, timeline)),
    }


# In every cell with a positive last hazard some 50 decisions or more are expected to fall to that
# fact alone, so that the chance of none, which would be a false alarm, is below exp(-50).
EXPERIMENT = Experiment(
    claim="many-dependencies",
    measures=(
        "The share of decisions none of whose facts changed equals the survival at the sum of "
        "their hazards; one more fact lowers it iff that fact's hazard is positive."
    ),
    axes={
        "facts": (1, 2, 4, 8),
        "hazard": (0.001, 0.002, 0.005, 0.01, 0.02),
        "gap": tuple(float(gap) for gap in range(10, 101, 10)),
        "more": (0.0, 0.01),
    },
    measure=measure,
    predict=predict,
)
