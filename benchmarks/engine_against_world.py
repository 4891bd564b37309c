"""The vectorised engine against the SimPy world, on the same decisions of a 400-cell grid."""

from __future__ import annotations

import numpy as np

from benchmarks.figure import Figure, best_seconds
from sim.cells import Parameters, cell_rng
from sim.engine import count_first_changes
from sim.grid import grid
from theory import Constant, Timeline

DECISIONS = 20_000
SAMPLE = 27
"""The world plays one cell in so many unless run in full; 27 and 20 share no factor, so that the
sample strides through hazards and gaps alike."""


def measure(*, full: bool) -> list[Figure]:
    """Time a grid of 20 hazards x 20 gaps, 20,000 decisions a cell on a fact each."""
    from sim.world import play

    cells = grid(hazard=np.geomspace(0.001, 0.1, 20), gap=np.linspace(1, 240, 20))
    sample = cells if full else cells[SAMPLE // 2 :: SAMPLE]

    def engine() -> None:
        for cell in cells:
            count_first_changes(cell_rng(0, cell), [_fact(cell)], _timeline(cell), DECISIONS)

    def world() -> None:
        for cell in sample:
            play(cell_rng(0, cell), [_fact(cell)], _timeline(cell), DECISIONS)

    seconds = best_seconds({"engine": engine}, rounds=5) | best_seconds({"world": world}, rounds=1)
    whole = seconds["world"] * len(cells) / len(sample)
    return [
        Figure(
            "world's time / engine's time, 400 cells x 20,000 decisions",
            whole / seconds["engine"],
            1_000,
            "at least",
            {
                "engine, s": seconds["engine"],
                f"world, s (from {len(sample)} cells)": whole,
            },
        )
    ]


def _fact(cell: Parameters) -> Constant:
    return Constant(float(cell["hazard"]))


def _timeline(cell: Parameters) -> Timeline:
    return Timeline.from_gaps(float(cell["gap"]))
