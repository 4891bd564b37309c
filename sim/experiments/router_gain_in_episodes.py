"""The gain of one router over another in episodes, on one stream and under common draws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sim.cells import Parameters
from sim.engines import Engine
from sim.experiments.episodes import Played, make, no_formula, play_through
from sim.experiments.experiment import Experiment, Measurement, MixedCount
from sim.experiments.judged import Flags
from sim.measures import factorisation
from theory import gain
from theory.arrays import Floats

BASELINE = "name"


def measure(
    play: Engine, rng: np.random.Generator, cell: Parameters, decisions: int
) -> Measurement:
    """Count the decisions that only one of the two routers gets right."""
    del play
    made = make(rng, str(cell["stream"]), decisions)
    draws = int(rng.integers(2**63))
    a, b = (
        play_through(made, router, str(cell["judge"]), draws)
        for router in (BASELINE, str(cell["router"]))
    )
    difference = Fraction(
        int(np.count_nonzero(b.right)) - int(np.count_nonzero(a.right)), decisions
    )
    split = gain(factorisation(a.decisions), factorisation(b.decisions))
    return Measurement([_gain(a, b)], identities_hold=split.total == difference)


def _gain(a: Played, b: Played) -> MixedCount:
    """The difference as one count: on its draw a decision can gain or lose, but not either.

    Where `a` is the likelier to be right, a success is not to lose, and no success by itself.
    """
    ahead = b.right_chance(b.chance) - a.right_chance(a.chance)
    losing = ahead < 0
    control = b.right_chance(b.unexposed) - a.right_chance(a.unexposed)
    gained = int(np.count_nonzero(b.right & ~a.right))
    lost = int(np.count_nonzero(a.right & ~b.right))
    offset = int(np.count_nonzero(losing))
    return MixedCount(
        "gain", gained - lost + offset, _chances(ahead, losing), _chances(control, losing), offset
    )


def _chances(ahead: Floats, losing: Flags) -> Floats:
    return np.where(losing, 1.0 + np.minimum(ahead, 0.0), np.maximum(ahead, 0.0))


EXPERIMENT = Experiment(
    claim="router-gain",
    measures=(
        "In episodes, the measured difference of a router to name match equals the sum of the "
        "gain's three terms to the last digit, and lies within exact limits of what simulated "
        "judges' rates predict of each decision, given what both routers delivered to it."
    ),
    axes={
        "stream": ("indirect", "natural"),
        "router": ("none", "broadcast", "decisive"),
        "judge": ("strong", "weak"),
    },
    measure=measure,
    predict=no_formula,
    decisions=128,
    control="judges whom misleading news never misleads",
    episodes=True,
)
