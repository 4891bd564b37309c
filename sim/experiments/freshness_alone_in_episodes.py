"""Prediction P1 in episodes: without routing, accuracy is the share of decisions that should stand.

On a controlled stream the share is set beforehand, so that this is an identity and can only hold.
It is put to the test on natural streams, whose decisions stand or not as their world's facts
change: the chance of each follows from its facts' hazards and its timeline before anything happens.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from llm import make_judge
from routers import make_router
from sim.cells import Parameters
from sim.engines import Engine
from sim.episode import episode
from sim.experiments.episodes import no_formula
from sim.experiments.experiment import Experiment, Measurement, MixedCount
from sim.measures import factorisation
from sim.scoring import score
from sim.streams import STREAMS, Labelled, happened


def measure(
    play: Engine, rng: np.random.Generator, cell: Parameters, decisions: int
) -> Measurement:
    """Count decisions that are right though none was routed anything."""
    del play
    natural = cell["stream"] == "natural"
    size = {"decisions": decisions} if natural else {}  # the paper's, where it is controlled
    made = STREAMS[str(cell["stream"])](rng, **size)
    scored = score(episode(made.stream, make_router("none"), make_judge("rules")), made.gold)
    right = scored.decisions["right"]
    count = _survival(made, int(right.sum())) if natural else _identity(made, int(right.sum()))
    return Measurement(
        [count],
        identities_hold=(
            Fraction(int(right.sum()), len(right)) == 1 - factorisation(scored.decisions).pi
        ),
    )


def _survival(made: Labelled, right: int) -> MixedCount:
    """Each decision stands with the survival of its facts; the control stops at the deadline."""
    log = happened(made.stream, made.gold)
    rate, verified, deadline, action = (
        log[name].to_numpy() for name in ("rate", "verified", "deadline", "action")
    )
    chances = np.exp(-rate * (action - verified))
    return MixedCount("accuracy", right, chances, np.exp(-rate * (deadline - verified)))


def _identity(made: Labelled, right: int) -> MixedCount:
    """Each decision stands or not as its label says, for certain."""
    standing = np.array([1.0 - truth.label for truth in made.gold.truths.values()])
    return MixedCount("standing share (identity)", right, standing, standing)


EXPERIMENT = Experiment(
    claim="freshness-alone",
    measures=(
        "In episodes without routing, accuracy equals the share of decisions that should stand to "
        "the last digit: on controlled streams by design, on natural ones within exact limits of "
        "the survival of each decision's facts from verification to action."
    ),
    axes={
        "stream": ("natural", "direct", "stress", "stress2", "indirect"),
        "replicate": (0, 1, 2),
    },
    measure=measure,
    predict=no_formula,
    decisions=800,
    control="survival to the deadline in place of the action",
    episodes=True,
)
