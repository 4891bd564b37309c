"""The length of an interval that a survival is asked for."""

from __future__ import annotations

import numpy as np

from theory.arrays import FloatOrArray, Floats, finite
from theory.errors import BadInput


def elapsed(start: FloatOrArray, end: FloatOrArray) -> Floats:
    """`end - start`, >= 0; arguments broadcast. Refuses an interval that ends before it starts."""
    begun, ended = finite("start", start), finite("end", end)
    length = ended - begun
    if (length < 0).any():
        begun, ended = np.broadcast_arrays(begun, ended)
        wrong = begun > ended
        raise BadInput(
            "end",
            float(ended[wrong].flat[0]),
            f"must not be before start(={begun[wrong].flat[0]:g})",
        )
    return length
