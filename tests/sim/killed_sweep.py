"""A sweep that tests kill: `killed_sweep.py OUT`, in two processes, kept at every opportunity."""

import sys
import time
from pathlib import Path

import numpy as np

from sim import grid, keeping, sweep
from sim.cells import Parameters


def slow(parameters: Parameters, rng: np.random.Generator) -> dict[str, float]:
    """A cell of some milliseconds."""
    del parameters
    time.sleep(0.005)
    return {"drawn": rng.random()}


if __name__ == "__main__":
    keeping.SHORTEST_WAIT = 0.0
    sweep(grid(a=range(200)), slow, out=Path(sys.argv[1]), workers=2)
