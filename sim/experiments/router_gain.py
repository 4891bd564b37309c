"""Two routers on the same decisions, under common random numbers: the gain and its three terms."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from sim.cells import Parameters
from sim.engines import Engine
from sim.experiments.experiment import Experiment, Measurement, PairedCount
from sim.experiments.judged import Judged, judge
from theory import Constant, Factorisation, Timeline, gain, gain_same_judge, risk_split
from theory.factorisation import keep_rate

S, L = 0.95, 0.05
"""The judge's switch rates with and without decisive news, the same under both routers."""
K_CALM, K_EXPOSED = 0.98, 0.7
"""Its keep rates without and with a misleading delivery."""
BASELINE = {"recall": 0.2, "exposed": 0.1}
"""The first router: its recall among recoverable changes, and its share of exposed decisions."""


def _setting(cell: Parameters, stretch: float = 1.0) -> tuple[Constant, Timeline]:
    gap = float(cell["gap"]) * stretch
    return Constant(float(cell["hazard"])), Timeline.from_gaps(gap, window=0.9 * gap)


def _routers(cell: Parameters) -> tuple[dict[str, float], dict[str, float]]:
    return BASELINE, {"recall": float(cell["recall"]), "exposed": float(cell["exposed"])}


def measure(
    play: Engine, rng: np.random.Generator, cell: Parameters, decisions: int
) -> Measurement:
    """Count the decisions that only one of the two routers gets right."""
    hazard, timeline = _setting(cell)
    first = play(rng, [hazard], timeline, decisions)
    routed, judged, misled = rng.random((3, decisions))

    def run(router: Mapping[str, float]) -> Judged:
        K = np.where(misled < router["exposed"], K_EXPOSED, K_CALM)
        recall = router["recall"]
        return judge(first, timeline, routed=routed, judged=judged, recall=recall, K=K, S=S, L=L)

    a, b = (run(router) for router in _routers(cell))
    gained, lost = (
        int(np.count_nonzero(b.right & ~a.right)),
        int(np.count_nonzero(a.right & ~b.right)),
    )
    measured = Fraction(gained - lost, decisions)
    return Measurement(
        [PairedCount("gain", gained, lost, decisions)],
        identities_hold=gain(a.factorisation, b.factorisation).total == measured,
    )


def predict(cell: Parameters, stretch: float) -> Mapping[str, float]:
    """The paper's form of the gain, from the hazard and both routers' recall and exposure."""
    hazard, timeline = _setting(cell, stretch)
    split = risk_split(hazard, timeline)
    pi = 1 - float(split.safe)
    a, b = (
        Factorisation(
            pi,
            keep_rate(router["exposed"], K_CALM, K_EXPOSED),
            router["recall"] * float(split.recoverable) / pi,
            S,
            L,
        )
        for router in _routers(cell)
    )
    return {"gain": float(gain_same_judge(a, b))}


EXPERIMENT = Experiment(
    claim="router-gain",
    measures=(
        "The measured difference of two routers equals the sum of the gain's three terms to the "
        "last digit, and the paper's form within exact limits."
    ),
    axes={
        "hazard": (0.002, 0.005, 0.01, 0.02, 0.05),
        "gap": (24.0, 48.0, 72.0, 96.0),
        "recall": (0.0, 0.6, 0.9, 1.0),
        "exposed": (0.0, 0.1, 0.3, 0.6, 1.0),
    },
    measure=measure,
    predict=predict,
    # A difference has wider limits than a share: with 20,000 the control may slip through.
    decisions=60_000,
)
