"""The rate of change: changes over exposure, with Garwood's exact Poisson limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theory.arrays import Floats
from theory.estimate.grouped import Ints
from theory.inference import poisson_limits

CONFIDENCE = 0.95
"""Of every interval of a fit."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Changes per hour, the maximum-likelihood estimate of a constant hazard."""

    changes: int
    """Changes counted."""
    exposure: float
    """Hours watched and unchanged."""
    rate: float | None
    """Changes over exposure; 0 where nothing changed, null without exposure."""
    low: float | None
    """Lower limit, 95 %, exact."""
    high: float | None
    """Upper limit, 95 %, exact; above 0 even where nothing changed."""


class _Row(NamedTuple):
    changes: int
    exposure: float
    rate: float | None
    low: float | None
    high: float | None


def rate_rows(changes: Ints, exposure: Floats) -> Iterator[_Row]:
    """The fields of a `Rate` for each of several counts over exposures, shape (n,)."""
    watched = exposure > 0
    limits = poisson_limits(changes, np.where(watched, exposure, 1.0), confidence=CONFIDENCE)
    columns = (changes, exposure, watched, limits.low, limits.high)
    for count, hours, known, low, high in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        yield _Row(count, hours, *((count / hours, low, high) if known else (None, None, None)))
