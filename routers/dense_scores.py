"""How a notice's vector is held against those of entries, alike live and in a replay.

A matrix product in float32 finds who comes near. Its last digits depend on the shapes that are
multiplied, so that one notice and a batch of notices disagree about them; those who come near
are therefore scored again, in double precision and in one order of summation, and these scores
alone decide.

They are rounded to `DIGITS`. On another machine, whose processor sums in another order, a text's
vector differs by some 1e-7 a number, and scores by up to 1e-6: what lies closer together than that
is a tie, which goes by entry id everywhere.
"""

from __future__ import annotations

import numpy as np

from routers.encoding.encoder import Vectors
from theory.arrays import Floats

DIGITS = 5
"""Decimal places of a score."""


def exact_scores(rows: Vectors, vectors: Vectors) -> Floats:
    """The inner product of each row, shape (n, d), with a vector, (d,), or its own, rounded."""
    # Products of two float32 numbers are exact in double precision.
    products = rows.astype(np.float64) * vectors.astype(np.float64)
    scores: Floats = np.round(products.sum(axis=1), DIGITS)
    return scores


def margin(width: int) -> float:
    """How far two products of vectors of `width` numbers may seem apart, and tie when rounded.

    Twice the greatest error of a float32 sum of that many products in any order, for vectors of
    length 1 (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1), that of
    taking the margin off in float32, and a rounding step.
    """
    return float((2 * 1.01 * width + 2) * 2.0**-24 + 10.0**-DIGITS)


LEAST = 0.5 * 10.0**-DIGITS
"""Scores below it are rounded to 0, which is no delivery."""
