"""Values by fact: sums and order."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from theory.arrays import Floats

Ints: TypeAlias = NDArray[np.int64]


def totals(fact: Ints, weights: Floats, facts: int) -> Floats:
    """The sum of the weights of each fact, shape (facts,)."""
    return np.asarray(np.bincount(fact, weights=weights, minlength=facts), dtype=np.float64)


def sorted_within(frame: pl.DataFrame, column: str, facts: int) -> pl.DataFrame:
    """The frame sorted by `fact` and then by a column; ties keep their order."""
    # Two stable sorts take half the time of one by both keys.
    ordered = frame.sort(column, maintain_order=True)
    return ordered if facts == 1 else ordered.sort("fact", maintain_order=True)
