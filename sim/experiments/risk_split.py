"""Where the first change falls, in four shares, and what perfect routing gains."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.cells import Parameters
from sim.engines import Engine
from sim.experiments.experiment import Count, Experiment, Measurement, PairedCount
from sim.experiments.judged import judge
from theory import Constant, Timeline, risk_split


def _setting(cell: Parameters, stretch: float = 1.0) -> tuple[Constant, Timeline]:
    gap = float(cell["gap"]) * stretch
    timeline = Timeline.from_gaps(
        gap, freshness_gap=float(cell["freshness"]), window=gap * float(cell["window"])
    )
    return Constant(float(cell["hazard"])), timeline


def measure(
    play: Engine, rng: np.random.Generator, cell: Parameters, decisions: int
) -> Measurement:
    """Count each share, and the decisions that perfect routing and judgment turn right."""
    hazard, timeline = _setting(cell)
    first = play(rng, [hazard], timeline, decisions)
    ends = [timeline.decided, timeline.deadline, timeline.action, np.inf]
    by_end = [int(np.count_nonzero(first <= end)) for end in ends]
    shares = np.diff([0, *by_end]).tolist()
    draws = rng.random(decisions)
    alone, routed = (
        judge(first, timeline, routed=draws, judged=draws, recall=recall, K=1.0, S=1.0, L=0.0).right
        for recall in (0.0, 1.0)
    )
    gained, lost = (
        int(np.count_nonzero(routed & ~alone)),
        int(np.count_nonzero(alone & ~routed)),
    )
    return Measurement(
        [
            PairedCount("gain of perfect routing", gained, lost, decisions),
            *(
                Count(name, count, decisions)
                for name, count in zip(
                    ("stale", "recoverable", "late", "safe"), shares, strict=True
                )
            ),
        ],
        identities_hold=sum(shares) == decisions and (gained, lost) == (shares[1], 0),
    )


def predict(cell: Parameters, stretch: float) -> Mapping[str, float]:
    """The four shares; perfect routing gains the recoverable one."""
    hazard, timeline = _setting(cell, stretch)
    split = risk_split(hazard, timeline)
    shares = {name: float(share) for name, share in split._asdict().items()}
    return {"gain of perfect routing": shares["recoverable"], **shares}


EXPERIMENT = Experiment(
    claim="risk-split",
    measures=(
        "The shares of decisions whose first change falls before the decision, the deadline, the "
        "action or after it; perfect routing gains exactly the recoverable ones."
    ),
    axes={
        "hazard": (0.001, 0.003, 0.01, 0.03, 0.1),
        "gap": tuple(float(gap) for gap in range(24, 241, 24)),
        "freshness": (0.0, 24.0),
        "window": (0.01, 0.25, 0.5, 1.0),
    },
    measure=measure,
    predict=predict,
)
