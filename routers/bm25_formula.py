"""BM25 in Lucene's form: how well an entry matches a notice, given the entries open now.

    score = sum over the notice's words  qtf * idf * tf / (tf + k1 (1 - b) + k1 b length / average)
    idf   = ln(1 + (N - df + 1/2) / (df + 1/2)) = ln(N + 1) - ln(df + 1/2)

tf counts the word in the entry and qtf in the notice (a word said twice weighs twice, as Lucene's
query does), length and average are in tokens, N counts the open entries and df those that hold the
word. The factor k1 + 1 of older forms is left out, as Lucene does since version 8: it changes no
order. The words are added in the order in which the notice first says them, so that the last bit
of a score does not depend on how the index came about.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from theory.errors import BadInput


class Saturation(NamedTuple):
    """How counts and lengths weigh."""

    k1: float = 1.2
    """How slowly repetition saturates, >= 0; at 0 a word counts once."""
    b: float = 0.75
    """How much longer entries are discounted, from 0 to 1."""

    def norm(self, entries: int, tokens: int) -> tuple[float, float]:
        """The constant and the factor of an entry's length in the norm of its counts."""
        return self.k1 * (1 - self.b), self.k1 * self.b * entries / tokens


def checked(k1: float, b: float) -> Saturation:
    """The parameters, checked."""
    if not (math.isfinite(k1) and k1 >= 0):
        raise BadInput("k1", k1, "must be finite and >= 0")
    if not 0 <= b <= 1:
        raise BadInput("b", b, "must be between 0 and 1")
    return Saturation(float(k1), float(b))


def idf(entries: int, holders: int) -> float:
    """The weight of a word that `holders` of the open entries hold, > 0."""
    return log_above(entries) - log_below(holders)


def log_above(entries: int) -> float:
    """The part of `idf` that follows the open entries."""
    return math.log(entries + 1)


def log_below(holders: int) -> float:
    """The part of `idf` that follows the entries that hold the word."""
    return math.log(holders + 0.5)
