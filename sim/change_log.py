"""Change logs of simulated facts: what an observer of the world would have written down."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from sim.changes import merged_changes
from theory import Constant


def change_log(
    rng: np.random.Generator, hazards: Mapping[str, Constant], hours: float
) -> pl.DataFrame:
    """Every change of some facts over `hours` from 0 on, as they came: `fact` and `time`."""
    names, rows, now = list(hazards), [], 0.0
    for wait, fact in merged_changes(rng, list(hazards.values())):
        now += wait
        if now > hours:
            break
        rows.append((names[fact], now))
    return pl.DataFrame(rows, schema={"fact": pl.String, "time": pl.Float64}, orient="row")
