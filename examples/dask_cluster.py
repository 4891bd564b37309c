"""A sweep on a Dask cluster, here of two processes on this machine.

On a cluster elsewhere: `bestbefore sweep ... --scheduler tcp://host:8786`. Its workers need the
same version of bestbefore; a function of your own must lie in a module that they can import.
"""

from distributed import LocalCluster

from sim import sweep
from sim.ceiling_cell import ceiling_cell, ceiling_cells
from sim.cluster import dask_cluster

if __name__ == "__main__":
    cells = ceiling_cells(hazard=[0.002, 0.01, 0.05], gap=range(4, 124, 4))
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with local, dask_cluster(local.scheduler_address) as cluster:
        there = sweep(cells, ceiling_cell, executor=cluster.executor, workers=cluster.workers)
    print("the same rows as here:", there.equals(sweep(cells, ceiling_cell)))
