"""The index of dispersion: changes in bursts, or as if by schedule.

The exposure is cut into equal parts, one for every five changes; under a constant hazard the counts
c in k parts are multinomial and X2 = sum (c - n/k)^2 / (n/k) is near chi-squared with k - 1
degrees of freedom. The index, X2 / (k - 1), is the counts' variance over their mean: above 1 for
bursts, below 1 for regular changes. The p-value is twice the smaller tail; X2 moves in steps of
2 k/n, so each tail reaches half a step towards the middle.

Cox and Lewis, *The Statistical Analysis of Series of Events* (1966), chapter 6.
"""

from __future__ import annotations

import numpy as np

from theory.estimate.clock import Clock
from theory.estimate.significance import Outcomes, no_outcomes

NEEDED = 10
"""Changes within the exposure: two parts at least."""
CHANGES_PER_PART = 5


def dispersion(clock: Clock) -> Outcomes:
    """The index and its two-sided p-value, by fact."""
    from scipy.special import chdtr, chdtrc

    outcomes = no_outcomes(clock.changes)
    chosen, clock = clock.with_at_least(NEEDED)
    n = clock.changes
    parts = n // CHANGES_PER_PART
    first = np.concatenate([[0], np.cumsum(parts)])
    part = np.floor(clock.at / clock.total[clock.fact] * parts[clock.fact]).astype(np.int64)
    part = np.minimum(part, parts[clock.fact] - 1)  # a quotient may round up to 1
    counts = np.bincount(first[clock.fact] + part, minlength=first[-1])
    squares = np.add.reduceat(counts.astype(np.float64) ** 2, first[:-1]) if n.size else n
    statistic, freedom = squares * parts / n - n, parts - 1
    half_step = parts / n
    at_most = chdtr(freedom, statistic + half_step)
    at_least = chdtrc(freedom, np.maximum(statistic - half_step, 0.0))
    outcomes.statistic[chosen] = statistic / freedom
    outcomes.p_value[chosen] = np.minimum(1.0, 2 * np.minimum(at_most, at_least))
    return outcomes
