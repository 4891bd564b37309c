"""Lilliefors' test: gaps between changes that are exponential, with a mean taken from themselves.

On the clock, n changes leave n + 1 gaps, the first and the last included. Given n these have the
law of exponentials over their sum, so that the exponential table holds for n + 1 observations
exactly; leaving the cut gaps out would favour short ones. The statistic is D, the largest distance
between the gaps' distribution and the exponential of the same mean. The p-value comes from
statsmodels' table, whose ends are 0.001 and 0.99: a p-value of 0.001 says *at most* 0.001. Beyond
its largest size D scales by the square root of the size, as its law does (the polynomial that
statsmodels has there drifts off: what has chance 5 % it gives 1.7 % at 10^6 gaps).

Lilliefors, *Journal of the American Statistical Association* 64 (1969) 387-389.
"""

from __future__ import annotations

import numpy as np

from theory.arrays import Floats
from theory.estimate.clock import Clock
from theory.estimate.grouped import Ints
from theory.estimate.significance import Outcomes, no_outcomes

NEEDED = 5
"""Changes within the exposure."""
LEAST_P_VALUE = 0.001
"""Where the table ends: the p-value is at most this."""


def lilliefors(clock: Clock) -> Outcomes:
    """D and its p-value, by fact."""
    outcomes = no_outcomes(clock.changes)
    chosen, clock = clock.with_at_least(NEEDED)
    distance = _largest_distance(clock)
    outcomes.statistic[chosen] = distance
    outcomes.p_value[chosen] = table_p_values(distance, clock.changes + 1)
    return outcomes


def _largest_distance(clock: Clock) -> Floats:
    """D by fact: each fact's gaps in order of length against their exponential."""
    facts, size = clock.total.size, clock.changes + 1
    if not facts:
        return np.empty(0)
    fact, first = np.repeat(np.arange(facts), size), np.cumsum(size) - size
    bounds = np.insert(clock.at, np.cumsum(clock.changes), clock.total)
    gap = np.diff(bounds, prepend=0.0)
    gap[first] = bounds[first]
    expected = -np.expm1(-gap * (size / clock.total)[fact])
    # One plain sort for all facts: each fact's values lie in a range of their own.
    expected = np.sort(expected + 2.0 * fact) - 2.0 * fact
    rank = np.arange(gap.size) - first[fact]
    above, below = (rank + 1) / size[fact] - expected, expected - rank / size[fact]
    largest: Floats = np.maximum.reduceat(np.maximum(above, below), first)
    return largest


def table_p_values(distance: Floats, size: Ints) -> Floats:
    """The p-values of distances from samples of so many gaps."""
    # Its public function takes one sample at a time, and at any size.
    from statsmodels.stats._lilliefors import get_lilliefors_table

    table = get_lilliefors_table(dist="exp")
    largest = int(table.max_size)
    scaled = distance * np.sqrt(np.maximum(size / largest, 1.0))
    p_values = np.empty(distance.shape)
    for n in np.unique(np.minimum(size, largest)):  # the table is interpolated once for each size
        rows = np.minimum(size, largest) == n
        p_values[rows] = table.prob(scaled[rows], n)
    return np.maximum(p_values, LEAST_P_VALUE)  # the table's own is off by rounding
