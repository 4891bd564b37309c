"""A constant hazard: changes come as a Poisson process.

P(no change in `(s, e]`) = exp(-rate (e - s)), whatever the fact's age.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.arrays import FloatOrArray, Floats, at_least, plain
from theory.hazards.interval import elapsed


@dataclass(frozen=True)
class Constant:
    """The same rate of change at every moment and age: the paper's hazard."""

    rate: float
    """Changes per unit of time, >= 0."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", float(at_least("rate", self.rate, 0.0)))

    def survival(
        self,
        start: FloatOrArray,
        end: FloatOrArray,
        *,
        since: FloatOrArray | None = None,
    ) -> FloatOrArray:
        """exp(-rate (end - start)); arguments broadcast."""
        return plain(np.exp(-self.rate * elapsed(start, end)))

    def sample(
        self,
        rng: np.random.Generator,
        start: Floats,
        *,
        since: Floats | None = None,
    ) -> Floats:
        """`start` plus an exponential of mean 1 / rate; inf where the rate is 0."""
        start = np.asarray(start, dtype=np.float64)
        if self.rate == 0:
            return np.full(start.shape, np.inf)
        return start + rng.standard_exponential(start.shape) / self.rate
