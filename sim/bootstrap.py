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

RESAMPLES = 1_000
_CELLS = 1_000_000
"""Counts held at once."""


def ratio_limits(
    parts: Floats,
    wholes: Floats,
    rng: np.random.Generator,
    *,
    confidence: float,
    resamples: int = RESAMPLES,
) -> Limits:
    """Percentile limits of sum(part) / sum(whole) for several ratios at once.

    `parts` and `wholes` have the shape (decisions, ratios), the limits (ratios,). Resamples whose
    whole is 0 have no ratio and are left out; NaN where none has one.
    """
    decisions, ratios = parts.shape
    rows, counts = np.unique(np.hstack((parts, wholes)), axis=0, return_counts=True)
    sums = np.concatenate(
        [
            rng.multinomial(decisions, counts / decisions, size) @ rows
            for size in _sizes(resamples, len(counts))
        ]
    )
    tail = (1.0 - confidence) / 2.0
    limits = np.full((2, ratios), np.nan)
    for ratio in range(ratios):
        part, whole = sums[:, ratio], sums[:, ratios + ratio]
        some = whole > 0
        if some.any():
            limits[:, ratio] = np.quantile(part[some] / whole[some], (tail, 1.0 - tail))
    return Limits(*limits)


def _sizes(resamples: int, groups: int) -> list[int]:
    """How many resamples are drawn at once, to hold at most so many counts."""
    most = max(1, _CELLS // groups)
    return [min(most, resamples - start) for start in range(0, resamples, most)]
