"""Exact limits and tests for counts, on scalars or arrays: what every experiment stands on.

Clopper-Pearson limits are quantiles of beta distributions, Garwood's of gamma distributions; the
tests are the tails that these limits invert, so that a value lies outside the limits at level
1 - p exactly when its p-value is below p.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.arrays import Floats
from theory.errors import BadInput

Side: TypeAlias = Literal["two", "above", "below"]
"""What counts against a null value: a departure either way, data above it, or data below it."""


_SMALLEST_LEVEL = 1e-30


class Limits(NamedTuple):
    """Lower and upper confidence limits, arrays of the counts' shape."""

    low: Floats
    high: Floats


def binomial_limits(
    successes: ArrayLike, trials: ArrayLike, *, confidence: float = 0.95, side: Side = "two"
) -> Limits:
    """Clopper-Pearson limits of a probability.

    Side "above" gives a lower limit only (the upper is 1), "below" an upper limit only.
    """
    k, n = checked_counts(successes, trials)
    low, high = _clopper_pearson(k, n, np.asarray(_alpha(confidence, side)))
    return Limits(*_sided(low, high, side, 1.0))


def poisson_limits(
    events: ArrayLike, exposure: ArrayLike = 1.0, *, confidence: float = 0.95, side: Side = "two"
) -> Limits:
    """Garwood's exact limits of a rate, events per unit of exposure; zero events included."""
    from scipy.special import gammaincinv

    k, time = np.asarray(events, dtype=np.float64), np.asarray(exposure, dtype=np.float64)
    if (k < 0).any() or (time <= 0).any():
        raise BadInput("events", events, "must be >= 0 over an exposure > 0")
    alpha = _alpha(confidence, side)
    low = np.where(k == 0, 0.0, gammaincinv(np.maximum(k, 1), alpha)) / time
    high = gammaincinv(k + 1, 1 - alpha) / time
    return Limits(*_sided(low, high, side, np.inf))


def binomial_p_value(
    successes: ArrayLike, trials: ArrayLike, probability: ArrayLike, *, side: Side = "two"
) -> Floats:
    """The exact p-value of a null probability; two-sided is twice the smaller tail, at most 1."""
    from scipy.special import betainc, betaincc

    k, n = checked_counts(successes, trials)
    p = np.asarray(probability, dtype=np.float64)
    if ((p < 0) | (p > 1)).any() or np.isnan(p).any():
        raise BadInput("probability", probability, "must be between 0 and 1")
    k, n, p = np.broadcast_arrays(k, n, p)
    at_least = np.where(k == 0, 1.0, betainc(np.maximum(k, 1), n - k + 1, p))
    at_most = np.where(k == n, 1.0, betaincc(k + 1, np.maximum(n - k, 1), p))
    if side == "above":
        return at_least
    if side == "below":
        return at_most
    return np.minimum(1.0, 2.0 * np.minimum(at_least, at_most))


def mcnemar_p_value(gained: ArrayLike, lost: ArrayLike) -> Floats:
    """The exact p-value of McNemar's test on paired decisions, two-sided; 1 with none discordant.

    `gained` decisions are right only in the second run, `lost` ones only in the first: if the runs
    are equally good, either is as likely (McNemar 1947, in its binomial form).
    """
    up, down = np.asarray(gained, dtype=np.float64), np.asarray(lost, dtype=np.float64)
    if (up < 0).any() or (down < 0).any():
        raise BadInput("gained, lost", (gained, lost), "must be >= 0")
    fewer, discordant = np.minimum(up, down), up + down
    some = discordant > 0
    p_values = binomial_p_value(np.where(some, fewer, 1), np.where(some, discordant, 2), 0.5)
    return np.where(some, p_values, 1.0)


def paired_gain_limits(
    gained: ArrayLike, lost: ArrayLike, trials: ArrayLike, *, confidence: float = 0.95
) -> Limits:
    """Limits of P(gained) - P(lost) on paired decisions; conservative, never too narrow.

    `gained` decisions are right only in the second run, `lost` ones only in the first. The limits
    of both shares are taken at half the error each, and subtracted.
    """
    half = 1 - (1 - confidence) / 2
    up, down = (binomial_limits(count, trials, confidence=half) for count in (gained, lost))
    return Limits(up.low - down.high, up.high - down.low)


def paired_gain_p_value(
    gained: ArrayLike, lost: ArrayLike, trials: ArrayLike, difference: ArrayLike
) -> Floats:
    """The p-value of a null difference, two-sided: the level at which `paired_gain_limits` meet it.

    The limits widen as the level falls; it is found by bisection on its logarithm, down to 1e-30,
    below which quantiles of beta distributions are no longer computed reliably.
    """
    up, down = checked_counts(gained, trials), checked_counts(lost, trials)
    null = np.asarray(difference, dtype=np.float64)

    def fits(level: Floats) -> NDArray[np.bool_]:
        up_low, up_high = _clopper_pearson(*up, level / 4)
        down_low, down_high = _clopper_pearson(*down, level / 4)
        inside: NDArray[np.bool_] = (up_low - down_high <= null) & (null <= up_high - down_low)
        return inside

    shape = np.broadcast_shapes(up[0].shape, up[1].shape, down[0].shape, null.shape)
    low, high = np.full(shape, np.log(_SMALLEST_LEVEL)), np.zeros(shape)
    for _ in range(50):
        middle = (low + high) / 2
        inside = fits(np.exp(middle))
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.where(fits(np.ones(shape)), 1.0, np.exp(high))


def holm(p_values: ArrayLike, family_error: float) -> NDArray[np.bool_]:
    """Which nulls Holm's procedure rejects; its family error holds under any dependence.

    Steps down the sorted p-values until one exceeds the error over the number of nulls left. Done
    here because statsmodels collects garbage at every call, 50 ms each; it is the witness in tests.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, axis=None, kind="stable")
    left = np.arange(p.size, 0, -1)
    stopped = np.logical_or.accumulate(p.ravel()[order] > family_error / left)
    rejected = np.zeros(p.size, dtype=np.bool_)
    rejected[order] = ~stopped
    return rejected.reshape(p.shape)


def _clopper_pearson(k: Floats, n: Floats, tail: Floats) -> tuple[Floats, Floats]:
    """Both limits of a probability, each with an error of `tail`."""
    from scipy.special import betainccinv, betaincinv

    low = np.where(k == 0, 0.0, betaincinv(np.maximum(k, 1), n - k + 1, tail))
    high = np.where(k == n, 1.0, betainccinv(k + 1, np.maximum(n - k, 1), tail))
    return low, high


def checked_counts(successes: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    """Both as doubles, 0 <= successes <= trials, trials >= 1."""
    k, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    if (n < 1).any():
        raise BadInput("trials", trials, "must be >= 1")
    if (k < 0).any() or (k > n).any():
        raise BadInput("successes", successes, "must be between 0 and trials")
    return k, n


def _alpha(confidence: float, side: Side) -> float:
    if not 0 < confidence < 1:
        raise BadInput("confidence", confidence, "must be between 0 and 1, both excluded")
    return (1 - confidence) / (2 if side == "two" else 1)


def _sided(low: Floats, high: Floats, side: Side, top: float) -> tuple[Floats, Floats]:
    if side == "above":
        return low, np.full_like(high, top)
    if side == "below":
        return np.zeros_like(low), high
    return low, high
