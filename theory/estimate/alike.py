"""Whether the facts are alike: all change at one rate.

Given their total N, changes of facts with equal constant rates are multinomial, with chances in
proportion to the exposures. Pearson's X2 = sum (n - E)^2 / E measures the departure. Where every
expected count is 5 or more, or the facts are very many, its law is that of a multiple of a
chi-squared with the mean and variance that X2 has exactly (Haldane 1940):

    mean = k - 1,  variance = 2 (k - 1) + (sum of 1/p - k^2 - 2 k + 2) / N.

Elsewhere no formula is right, and the p-value is (1 + how many draws reach X2) / (1 + draws), which
is exact whatever the number of draws.
"""

from __future__ import annotations

import numpy as np

from theory.arrays import Floats
from theory.estimate.grouped import Ints
from theory.estimate.significance import Significance

ENOUGH_EXPECTED = 5.0
"""Expected changes of every fact for the approximation."""
MANY_FACTS = 10_000
"""From here on the approximation serves whatever the counts."""
_CELLS = 10_000_000  # drawn counts, all in all: about a second
_BLOCK = 1_000_000  # and at once


def alike(changes: Ints, exposure: Floats, rng: np.random.Generator | None = None) -> Significance:
    """The test over the facts that have exposure; X2 is its statistic.

    Needs `rng` where expected counts are small.
    """
    watched = exposure > 0
    counts, time = changes[watched], exposure[watched]
    total = int(counts.sum())
    if counts.size < 2:
        return Significance(None, None, "needs 2 facts with exposure")
    if total == 0:
        return Significance(None, None, "needs a change")
    chances = time / time.sum()
    observed = float(_pearson(counts, total * chances))
    if (total * chances).min() >= ENOUGH_EXPECTED or counts.size > MANY_FACTS:
        return Significance(observed, _approximate(observed, chances, total))
    if rng is None:
        few = f"needs a generator where under {ENOUGH_EXPECTED:g} changes are expected of a fact"
        return Significance(None, None, few)
    return Significance(observed, _drawn(observed, chances, total, rng))


def _pearson(counts: Ints, expected: Floats) -> Floats:
    statistic: Floats = ((counts - expected) ** 2 / expected).sum(axis=-1)
    return statistic


def _approximate(observed: float, chances: Floats, total: int) -> float:
    from scipy.special import chdtrc

    k = float(chances.size)
    variance = 2 * (k - 1) + ((1 / chances).sum() - k * k - 2 * k + 2) / total
    scale = variance / (2 * (k - 1))
    return float(chdtrc((k - 1) / scale, observed / scale))


def _drawn(observed: float, chances: Floats, total: int, rng: np.random.Generator) -> float:
    draws = int(np.clip(_CELLS // chances.size, 999, 9_999))
    block = max(1, _BLOCK // chances.size)
    # Equal counts may sum to a statistic that differs in its last digits.
    reached, limit = 0, observed * (1 - 1e-9)
    for begin in range(0, draws, block):
        counts = rng.multinomial(total, chances, size=min(block, draws - begin))
        reached += int((_pearson(counts, total * chances) >= limit).sum())
    return (1 + reached) / (1 + draws)
