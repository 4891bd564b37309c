"""Laplace's test of a trend: changes early or late in the exposure.

Under a constant hazard the times of n changes on the clock are uniform over its total T, so that
z = (sum t / T - n / 2) / sqrt(n / 12) is close to standard normal, from n = 5 with tails a little
lighter. z > 0: changes come faster as time goes on.

Cox and Lewis, *The Statistical Analysis of Series of Events* (1966), chapter 3.
"""

from __future__ import annotations

import numpy as np

from theory.estimate.clock import Clock
from theory.estimate.grouped import totals
from theory.estimate.significance import Outcomes, no_outcomes

NEEDED = 5
"""Changes within the exposure."""


def laplace(clock: Clock) -> Outcomes:
    """The statistic z and its two-sided p-value, by fact."""
    from scipy.special import ndtr

    outcomes = no_outcomes(clock.changes)
    chosen, clock = clock.with_at_least(NEEDED)
    n = clock.changes
    share = totals(clock.fact, clock.at / clock.total[clock.fact], n.size)
    z = (share - n / 2) / np.sqrt(n / 12)
    outcomes.statistic[chosen] = z
    outcomes.p_value[chosen] = 2 * ndtr(-np.abs(z))
    return outcomes
