"""Sweeps: the engine's compute over a grid, what the runner costs a cell, and what workers gain."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.figure import Figure
from sim import grid, sweep
from sim.ceiling_cell import ceiling_cell, ceiling_cells
from sim.cells import Parameters
from sim.playing import CellFunction

LONG = 0.2
"""Seconds of a long cell."""


def nothing(parameters: Parameters, rng: np.random.Generator) -> dict[str, float]:
    """A cell of no work."""
    del parameters, rng
    return {"x": 1.0}


def wait(parameters: Parameters, rng: np.random.Generator) -> dict[str, float]:
    """A cell of 0.2 s, which waits: whoever else uses the machine does not count."""
    del parameters, rng
    time.sleep(LONG)
    return {"x": 1.0}


def measure(*, full: bool) -> list[Figure]:
    """Wall time of sweeps into a file, starts of processes included."""
    cells = 20_000 if full else 5_000
    long = 200 if full else 50
    grown = ceiling_cells(hazard=np.geomspace(0.001, 0.1, 20), gap=np.linspace(1, 240, 20))
    _seconds(grown[:1], ceiling_cell, workers=1)  # imports are no compute
    here, there = (_seconds(grid(a=range(cells)), nothing, workers=n) for n in (1, 2))
    one, two = (_seconds(grid(a=range(long)), wait, workers=n) for n in (1, 2))
    empty = {f"{cells:,} cells, s": here, "in two processes, s": there}
    return [
        Figure(
            "400 cells x 20,000 decisions, s",
            _seconds(grown, ceiling_cell, workers=1),
            1,
            "at most",
            {},
        ),
        Figure("runner, ms a cell", 1000 * here / cells, 1, "at most", empty),
        Figure("the same in two processes", 1000 * there / cells, 1, "at most", empty),
        Figure(
            "two workers over one, cells of 0.2 s",
            one / two,
            1.7,
            "at least",
            {f"{long} cells, one, s": one, "two, s": two},
        ),
    ]


def _seconds(cells: Sequence[Parameters], function: CellFunction, *, workers: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        sweep(cells, function, out=Path(folder) / "sweep.parquet", workers=workers)
        return time.perf_counter() - started
