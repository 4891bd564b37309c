"""Exact limits of a share where several decisions may be one trial.

Decisions that rest on the same facts at the same time stand or fall together: the share counts
decisions, its limits trials.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from theory.inference import binomial_limits, binomial_p_value

CONFIDENCE = 0.99


def share_limits(share: float, trials: int) -> tuple[float, float]:
    """Of a share of so many trials, widened to whole counts where it falls between two."""
    floor, ceil = _whole(share, trials)
    low, _ = binomial_limits(floor, trials, confidence=CONFIDENCE)
    _, high = binomial_limits(ceil, trials, confidence=CONFIDENCE)
    return float(low), float(high)


def share_p_value(share: float, trials: int, predicted: float) -> float:
    """Of a binomial count with the bin's mean chance: its trials' own chances only spread less.

    Where a share falls between two counts, the one that is nearer to what is predicted.
    """
    return float(np.max(binomial_p_value(_whole(share, trials), trials, predicted)))


def _whole(share: float, trials: int) -> NDArray[np.float64]:
    """The whole counts on both sides of a share of so many trials, shape (2,)."""
    count = round(share * trials, 9)
    return np.array([np.floor(count), np.ceil(count)])
