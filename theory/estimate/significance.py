"""What a test says, or why it says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theory.arrays import Floats
from theory.estimate.grouped import Ints


@dataclass(frozen=True, slots=True)
class Significance:
    """One test of a null hypothesis."""

    statistic: float | None
    """The figure that the test looks at; null if it could not be done."""
    p_value: float | None
    """How often the null gives a figure at least as far out; null if it could not be done."""
    reason: str | None = None
    """Why it could not be done, else null."""


class Outcomes(NamedTuple):
    """One test on several facts: arrays of shape (facts,)."""

    statistic: Floats
    """NaN where there are too few events."""
    p_value: Floats
    """NaN where there are too few events."""
    events: Ints
    """Changes that the test could use."""


def no_outcomes(events: Ints) -> Outcomes:
    """Outcomes to fill in: nothing known yet of any fact."""
    return Outcomes(np.full(events.shape, np.nan), np.full(events.shape, np.nan), events)
