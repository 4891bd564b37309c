"""Standing decisions and misleading news: the keep rate over how many were exposed to it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.cells import Parameters
from sim.engines import Engine
from sim.experiments.experiment import Count, Experiment, Measurement
from theory import Constant, Timeline, survival
from theory.factorisation import keep_rate


def _setting(cell: Parameters, stretch: float = 1.0) -> tuple[Constant, Timeline]:
    """Misleading notices about each decision at a constant rate, and its revision window."""
    return Constant(float(cell["traps"])), Timeline.from_gaps(float(cell["window"]) * stretch)


def measure(
    play: Engine, rng: np.random.Generator, cell: Parameters, decisions: int
) -> Measurement:
    """Count standing decisions that got a misleading notice in time, and those kept."""
    traps, timeline = _setting(cell)
    exposed = play(rng, [traps], timeline, decisions) <= timeline.deadline
    kept = rng.random(decisions) < np.where(
        exposed, float(cell["kept_exposed"]), float(cell["kept_calm"])
    )
    return Measurement(
        [
            Count("keep rate", int(np.count_nonzero(kept)), decisions),
            Count("exposed", int(np.count_nonzero(exposed)), decisions),
        ]
    )


def predict(cell: Parameters, stretch: float) -> Mapping[str, float]:
    """The exposed share follows from the rate of misleading notices and the window."""
    exposed = 1 - float(survival(*_setting(cell, stretch)))
    kept = keep_rate(exposed, float(cell["kept_calm"]), float(cell["kept_exposed"]))
    return {"keep rate": kept, "exposed": exposed}


EXPERIMENT = Experiment(
    claim="exposure",
    measures=(
        "The keep rate of standing decisions, some of which got misleading notices, is the mean of "
        "both keep rates weighted by the exposed share."
    ),
    axes={
        "traps": (0.002, 0.005, 0.01, 0.02, 0.05),
        "window": (12.0, 24.0, 48.0, 96.0, 144.0),
        "kept_calm": (1.0, 0.99, 0.95, 0.9),
        "kept_exposed": (0.9, 0.6, 0.3, 0.1),
    },
    measure=measure,
    predict=predict,
)
