"""How finely a log tells time: coarse times bend rates and tests.

Changes of a fact within one step count once, and gaps are multiples of it. Steps over a fiftieth of
the mean gap begin to matter: of constant hazards with 200 gaps rounded to a twentieth of their
mean, Weibull rejects 15 % at 5 %, Lilliefors 13 %, and the rate is 2 % low.
"""

from __future__ import annotations

import numpy as np

from theory.estimate.history import History

STEPS = (24.0, 1.0, 1 / 60)
"""Hours: a day, an hour, a minute."""
COARSE = 0.02
"""The share of the mean gap from which a step matters."""


def resolution(history: History) -> float | None:
    """The longest of STEPS of which all times are multiples; null for finer times."""
    times = np.concatenate([history.start, history.end])
    for step in STEPS:
        steps = times / step
        if (np.abs(steps - np.round(steps)) < 1e-6).all():
            return step
    return None
