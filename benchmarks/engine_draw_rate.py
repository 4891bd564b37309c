"""The engine's counting against the bare draws it rests on."""

from __future__ import annotations

import numpy as np

from benchmarks.figure import Figure, best_seconds
from sim.engine import BLOCK, count_first_changes
from theory import Constant, Timeline

DECISIONS = 10_000_000


def measure(*, full: bool) -> list[Figure]:
    """Time one cell of 10^7 decisions, and as many draws into one buffer of the engine's size.

    Draws into one buffer are the harder comparison: an array of 10^7 is slower to fill.
    """
    del full
    rng = np.random.default_rng(0)
    hazards, timeline = [Constant(0.01)], Timeline.from_gaps(72.0, freshness_gap=12.0, window=48.0)
    buffer = np.empty(BLOCK)

    def draw() -> None:
        for done in range(0, DECISIONS, BLOCK):
            rng.standard_exponential(out=buffer[: DECISIONS - done])

    def ceiling() -> None:
        count_first_changes(rng, hazards, Timeline.from_gaps(72.0), DECISIONS)

    def split() -> None:
        count_first_changes(rng, hazards, timeline, DECISIONS)

    seconds = best_seconds({"draws": draw, "ceiling": ceiling, "split": split}, rounds=7)
    rates = {f"{name}, M/s": DECISIONS / took / 1e6 for name, took in seconds.items()}
    return [
        Figure(
            f"rate of {what} / rate of standard_exponential, 10^7 decisions",
            seconds["draws"] / seconds[name],
            0.5,
            "at least",
            rates,
        )
        for name, what in (("ceiling", "the ceiling's count"), ("split", "the risk split's counts"))
    ]
