"""Numbers or arrays of them: the types that theory computes on, and the checks they pass."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from theory.errors import BadInput

Floats: TypeAlias = NDArray[np.float64]
FloatOrArray: TypeAlias = float | Floats


def as_doubles(name: str, value: FloatOrArray) -> Floats:
    """`value` as an array of doubles; refuses what is not a number."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(name, value, "must be a number or an array of numbers") from error


def finite(name: str, value: FloatOrArray) -> Floats:
    """`value` as an array of doubles; refuses NaN, infinities and what is not a number."""
    array = as_doubles(name, value)
    if not np.isfinite(array).all():
        raise BadInput(name, _first(array, ~np.isfinite(array)), "must be finite")
    return array


def at_least(name: str, value: FloatOrArray, low: float) -> Floats:
    """`value` as finite doubles, each >= `low`."""
    array = finite(name, value)
    if (array < low).any():
        raise BadInput(name, _first(array, array < low), f"must be >= {low:g}")
    return array


def probability(name: str, value: FloatOrArray) -> Floats:
    """`value` as doubles in [0, 1]."""
    array = finite(name, value)
    outside = (array < 0) | (array > 1)
    if outside.any():
        raise BadInput(name, _first(array, outside), "must be between 0 and 1")
    return array


def plain(array: Floats) -> FloatOrArray:
    """A float where the array is a scalar, the array itself where it is not."""
    return float(array) if np.ndim(array) == 0 else array


def _first(array: Floats, wrong: NDArray[np.bool_]) -> float:
    return float(np.atleast_1d(array)[np.atleast_1d(wrong)][0])
