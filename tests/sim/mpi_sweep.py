"""A sweep under MPI: `mpiexec -n 3 python -m mpi4py.futures mpi_sweep.py OUT`, or `OUT alone`."""

import sys
from pathlib import Path

import numpy as np

from sim import grid, sweep
from sim.cells import Parameters


def draw(parameters: Parameters, rng: np.random.Generator) -> dict[str, float]:
    """A cell of no time."""
    del parameters
    return {"drawn": rng.random()}


if __name__ == "__main__":
    out, *alone = sys.argv[1:]
    if alone:
        sweep(grid(a=range(100)), draw, out=Path(out))
    else:
        from mpi4py.futures import MPIPoolExecutor

        with MPIPoolExecutor() as executor:
            sweep(grid(a=range(100)), draw, out=Path(out), executor=executor)
