"""A sweep on Dask's cluster of this machine against the pool of processes, two workers each."""

from __future__ import annotations

import logging
import time
from importlib import import_module

import numpy as np

from benchmarks.figure import Figure
from sim import grid, sweep
from sim.cells import Parameters
from sim.cluster import dask_cluster
from sim.processes import local_processes

SHORT = 0.05
"""Seconds of a cell."""
WORKERS = 2


def wait(parameters: Parameters, rng: np.random.Generator) -> dict[str, float]:
    """A cell of 50 ms, which waits: whoever else uses the machine does not count."""
    del parameters, rng
    time.sleep(SHORT)
    return {"x": 1.0}


def measure(*, full: bool) -> list[Figure]:
    """Wall time of the same cells on both, each started beforehand."""
    cells = grid(a=range(600 if full else 200))
    with local_processes(WORKERS) as processes:
        sweep(cells[:WORKERS], wait, executor=processes)
        started = time.perf_counter()
        sweep(cells, wait, executor=processes)
        pool = time.perf_counter() - started
    with (
        import_module("distributed").LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.ERROR,
        ) as local,
        dask_cluster(local.scheduler_address) as cluster,
    ):
        sweep(cells[:WORKERS], wait, executor=cluster.executor, workers=WORKERS)
        started = time.perf_counter()
        sweep(cells, wait, executor=cluster.executor, workers=WORKERS)
        dask = time.perf_counter() - started
    return [
        Figure(
            "Dask over the pool of processes, cells of 50 ms",
            dask / pool,
            1.3,
            "at most",
            {"Dask, s": dask, "pool, s": pool},
        )
    ]
