"""Bootstrap limits of ratios of sums over decisions: percentiles over resampled decisions.

Deliveries, pairs and tokens of one decision hang together, so that a decision is what is drawn
again (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). Decisions with the
same numbers are drawn as one group, by a multinomial: a million of them cost no more than what is
distinct among them.
"""

from __future__ import annotations

import numpy as np

from theory.arrays import Floats
from theory.inference import Limits

RESAMPLES = 2_000
_CELLS = 1_000_000
"""Counts held at once."""


def ratio_limits(
    part: Floats,
    whole: Floats,
    rng: np.random.Generator,
    *,
    confidence: float,
    resamples: int = RESAMPLES,
) -> Limits:
    """Percentile limits of sum(part) / sum(whole), arrays of shape (decisions,).

    Resamples whose `whole` is 0 have no ratio and are left out; NaN where none has one.
    """
    pairs, counts = np.unique(np.column_stack((part, whole)), axis=0, return_counts=True)
    sums = np.concatenate(
        [
            rng.multinomial(len(part), counts / len(part), size) @ pairs
            for size in _sizes(resamples, len(counts))
        ]
    )
    some = sums[:, 1] > 0
    if not some.any():
        return Limits(np.array(np.nan), np.array(np.nan))
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(sums[some, 0] / sums[some, 1], (tail, 1.0 - tail))
    return Limits(low, high)


def _sizes(resamples: int, groups: int) -> list[int]:
    """How many resamples are drawn at once, to hold at most so many counts."""
    most = max(1, _CELLS // groups)
    return [min(most, resamples - start) for start in range(0, resamples, most)]
