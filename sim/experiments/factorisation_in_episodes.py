"""The factorisation where streams meet routers and judges, through the ledger and on its clock."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sim.cells import Parameters
from sim.engines import Engine
from sim.experiments.episodes import Played, make, no_formula, play_through
from sim.experiments.experiment import Experiment, Measurement, MixedCount
from sim.experiments.judged import Flags
from sim.measures import factorisation


def measure(
    play: Engine, rng: np.random.Generator, cell: Parameters, decisions: int
) -> Measurement:
    """Count right decisions, standing ones kept, and changing ones switched with and without news.

    Who was exposed to what follows from the routing; given that, each decision is switched with a
    known chance, and K and L are averages over exposure.
    """
    del play
    made = make(rng, str(cell["stream"]), decisions)
    draws = int(rng.integers(2**63))
    found = play_through(made, str(cell["router"]), str(cell["judge"]), draws)
    everyone = np.ones(decisions, dtype=np.bool_)
    counts = [
        _right("accuracy", found, everyone),
        _right("K", found, ~found.changing),
        _right("S", found, found.changing & found.reached),
        _right("L", found, found.changing & ~found.reached),
    ]
    right = Fraction(int(np.count_nonzero(found.right)), decisions)
    return Measurement(
        [count for count in counts if len(count.chances)],
        identities_hold=factorisation(found.decisions).accuracy == right,
    )


def _right(quantity: str, found: Played, among: Flags) -> MixedCount:
    """How many decisions of a group are right, and the chance of each to be."""
    return MixedCount(
        quantity,
        int(np.count_nonzero(found.right & among)),
        found.right_chance(found.chance)[among],
        found.right_chance(found.unexposed)[among],
    )


EXPERIMENT = Experiment(
    claim="factorisation",
    measures=(
        "In episodes through the ledger, measured accuracy equals the factorisation of the "
        "measured rates to the last digit, and accuracy, K, S and L lie within exact limits of "
        "what simulated judges' rates predict of each decision, given what was delivered to it."
    ),
    axes={
        "stream": ("indirect", "stress", "natural"),
        "router": ("name", "broadcast", "related", "decisive"),
        "judge": ("strong", "weak"),
    },
    measure=measure,
    predict=no_formula,
    decisions=128,
    control="judges whom misleading news never misleads",
    episodes=True,
)
