"""Sums by fact."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from theory.arrays import Floats

Ints: TypeAlias = NDArray[np.int64]


def totals(fact: Ints, weights: Floats, facts: int) -> Floats:
    """The sum of the weights of each fact, shape (facts,)."""
    return np.asarray(np.bincount(fact, weights=weights, minlength=facts), dtype=np.float64)
