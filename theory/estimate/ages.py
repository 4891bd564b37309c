"""The hazard by age: changes over exposure among facts that last changed so long ago.

The shape that the tests only tell apart from a constant one. Ages are cut where a constant hazard
would put equally many changes, at least ten, into each bin; only stretches whose age is known
count.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from theory.arrays import Floats
from theory.estimate.history import History
from theory.estimate.rate import Rate, rate_rows

MOST_BINS = 10
CHANGES_PER_BIN = 10


@dataclass(frozen=True, slots=True)
class AgeBin(Rate):
    """The hazard over ages in `(start, end]`."""

    start: float
    """Hours since the last change."""
    end: float | None
    """Hours since the last change; null for no end."""


def age_bins(history: History) -> tuple[AgeBin, ...]:
    """The hazard by age over all facts together; empty where no age is known."""
    aged = history.only(pl.col("age").is_not_null())
    entry = aged.stretches["age"].to_numpy()
    end = entry + aged.length
    exposure, ages = float(aged.length.sum()), end[aged.changed]
    if exposure == 0:
        return ()
    bounds = _bounds(ages.size, exposure)
    times = np.array(
        [
            (np.minimum(end, high) - np.maximum(entry, low)).clip(0.0).sum()
            for low, high in pairwise(bounds)
        ]
    )
    counts = np.bincount(np.searchsorted(bounds[1:], ages), minlength=times.size)
    starts, ends = bounds[:-1].tolist(), [*bounds[1:-1].tolist(), None]
    return tuple(
        AgeBin(*row, start, end)
        for start, end, row in zip(starts, ends, rate_rows(counts, times), strict=True)
    )


def _bounds(changes: int, exposure: float) -> Floats:
    """Quantiles of the exponential of the same rate, from 0 to infinity."""
    bins = int(np.clip(changes // CHANGES_PER_BIN, 1, MOST_BINS))
    if bins == 1:
        return np.array([0.0, np.inf])
    inner = -np.log1p(-np.arange(1, bins) / bins) * exposure / changes
    return np.concatenate([[0.0], inner, [np.inf]])
