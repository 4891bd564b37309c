"""Compare routers over K under common random numbers: the same streams, the same draws of judges.

What is luck of a stream then falls out of the difference: it spreads less than it would between
routers on streams of their own, and fewer streams tell them apart.
"""

import polars as pl

from sim import sweep
from sim.episode_cell import episode_cell, episode_cells
from sim.swept import ROUTED

if __name__ == "__main__":
    routers = ["bm25-text", "bm25-dossier"]
    cells = episode_cells(stream="natural", router=routers, judge="strong", k=[1, 3], decisions=48)
    frame = sweep(cells, episode_cell, replicates=12, common=ROUTED, out="routers.parquet")

    worse, better = (pl.col(router) for router in routers)
    print(
        frame.pivot("router", index=["k", "replicate"], values="accuracy")
        .group_by("k", maintain_order=True)
        .agg(
            pl.col(routers).mean().round(3),
            gain=(better - worse).mean().round(3),
            spread=(better - worse).std().round(3),
            spread_if_apart=(better.var() + worse.var()).sqrt().round(3),
        )
    )
