"""Limits of a probability that hold however often one looks: a confidence sequence.

A mixture e-process (Robbins 1970, Annals of Mathematical Statistics 41; Howard, Ramdas, McAuliffe
and Sekhon 2021, Annals of Statistics 49): against each null p the likelihood ratios of other
values q are averaged over a Beta distribution of q that was fixed beforehand. If p is true that
average is a martingale from 1, and Ville's inequality bounds the chance that it ever reaches
1 / alpha by alpha. The limits at any moment are the nulls at which it stands below 1 / alpha.

The Beta distribution has its mean at the null and is as wide as the limits are to be in the end,
which needs less than half the trials that a uniform one does (`tests/theory/test_sequential.py`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.arrays import Floats
from theory.errors import BadInput
from theory.inference import Limits, checked_counts

_CONCENTRATION = 1.5
"""Of the Beta distribution, in units of p (1 - p) / precision^2: near the best for p from 0.5 to
0.99, and flat there."""
_BISECTIONS = 45
_BELOW_ONE = float(np.nextafter(1.0, 0.0))


def sequential_limits(
    successes: ArrayLike, trials: ArrayLike, *, precision: float, alpha: float = 0.05
) -> Limits:
    """Limits of a probability, of which any number may be looked at as trials come in.

    The chance that the true value is ever outside is at most `alpha`, over all looks together.
    `precision` is the half-width that is aimed at: limits hold at any width, but come to this one
    soonest. It must be chosen before the first trial. Broadcasts over counts.
    """
    k, n = np.broadcast_arrays(*checked_counts(successes, trials))
    beyond = -np.log(checked_alpha(alpha))
    share = k / n
    low = _outward(k, n, share, np.zeros_like(share), precision, beyond)
    high = _outward(k, n, share, np.ones_like(share), precision, beyond)
    return Limits(low, high)


def log_evidence(
    successes: ArrayLike, trials: ArrayLike, null: ArrayLike, *, precision: float
) -> Floats:
    """The logarithm of the e-process against a null in (0, 1): large where the null is wrong."""
    from scipy.special import betaln, xlog1py, xlogy

    if not 0 < precision < 1:
        raise BadInput("precision", precision, "must be between 0 and 1, both excluded")
    k, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    p = np.asarray(null, dtype=np.float64)
    concentration = _CONCENTRATION * p * (1 - p) / precision**2
    a, b = concentration * p, concentration * (1 - p)
    evidence: Floats = betaln(k + a, n - k + b) - betaln(a, b) - xlogy(k, p) - xlog1py(n - k, -p)
    return evidence


def checked_alpha(alpha: float) -> float:
    """An error rate in (0, 1)."""
    if not 0 < alpha < 1:
        raise BadInput("alpha", alpha, "must be between 0 and 1, both excluded")
    return alpha


def _outward(
    k: Floats, n: Floats, inside: Floats, end: Floats, precision: float, beyond: float
) -> Floats:
    """The null between `inside` and `end` at which evidence reaches `beyond`, by bisection."""
    outside = end.copy()
    at_end = inside == end
    for _ in range(_BISECTIONS):
        middle = np.where(at_end, 0.5, np.minimum((inside + outside) / 2, _BELOW_ONE))
        within = log_evidence(k, n, middle, precision=precision) < beyond
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return np.where(at_end, end, outside)
