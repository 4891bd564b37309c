"""Counts of independent trials whose chances differ: the Poisson-binomial distribution, exactly.

Its probabilities are built up trial by trial, each a weighted sum of two of those before, so that
nothing cancels. Limits are those of the mean chance when all odds move by one factor, the
one-parameter family through the given chances in which the tails grow and shrink steadily.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.arrays import Floats, probability
from theory.errors import BadInput
from theory.inference import Limits


def mixed_pmf(chances: ArrayLike) -> Floats:
    """P(k of the trials succeed) for k from 0 on; chances of shape (..., n) give (..., n + 1)."""
    chance = probability("chances", np.asarray(chances, dtype=np.float64))
    trials = chance.shape[-1]
    pmf = np.zeros((*chance.shape[:-1], trials + 1))
    pmf[..., 0] = 1.0
    for done in range(trials):
        p = chance[..., done, None]
        moved = pmf[..., : done + 1] * p
        pmf[..., : done + 1] *= 1 - p
        pmf[..., 1 : done + 2] += moved
    return pmf


def mixed_p_value(successes: int, chances: ArrayLike) -> float:
    """The exact two-sided p-value of chances: twice the smaller tail, at most 1."""
    pmf = mixed_pmf(chances)
    _check(successes, len(pmf) - 1)
    return float(min(1.0, 2 * min(pmf[: successes + 1].sum(), pmf[successes:].sum())))


def mixed_limits(successes: int, chances: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Limits of the mean chance; the given one lies outside where its p-value is < 1 - confidence.

    Trials that are certain stay so: where nothing else is left, both limits are their share.
    """
    chance = np.asarray(chances, dtype=np.float64)
    trials = len(chance)
    _check(successes, trials)
    tail = (1 - confidence) / 2
    least, most = int((chance == 1).sum()), int((chance > 0).sum())
    some = min(max(successes, least), most)
    low = least / trials if some == least else _mean_at(chance, some, tail, above=True)
    high = most / trials if some == most else _mean_at(chance, some, tail, above=False)
    return Limits(np.asarray(low), np.asarray(high))


_WIDEST = 40.0
"""Logarithm of the largest factor on the odds."""
_POINTS, _ROUNDS = 17, 5


def _mean_at(chance: Floats, successes: int, tail: float, *, above: bool) -> float:
    """The mean chance at which `successes` or more (`above`), or fewer, have chance `tail`."""
    low, high = -_WIDEST, _WIDEST
    for _ in range(_ROUNDS):
        shifts = np.linspace(low, high, _POINTS)
        pmf = mixed_pmf(_shifted(chance, shifts))
        reached = pmf[:, successes:].sum(axis=1) if above else -pmf[:, : successes + 1].sum(axis=1)
        # Both grow with the shift.
        at = int(np.searchsorted(reached, tail if above else -tail).clip(1, _POINTS - 1))
        low, high = float(shifts[at - 1]), float(shifts[at])
    return float(_shifted(chance, np.array([(low + high) / 2])).mean())


def _shifted(chance: Floats, shifts: Floats) -> Floats:
    """Chances with their odds multiplied by exp(shift), shape (shifts, trials)."""
    raised = chance * np.exp(shifts)[:, None]
    return raised / (1 - chance + raised)


def _check(successes: int, trials: int) -> None:
    if not 0 <= successes <= trials or trials < 1:
        raise BadInput("successes", successes, f"must be between 0 and trials(={trials}), >= 1")
