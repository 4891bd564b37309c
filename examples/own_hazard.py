"""A hazard of your own: facts that change the faster the longer a project has run."""

from dataclasses import dataclass

import numpy as np

from theory import Timeline, ceiling, max_gap
from theory.arrays import FloatOrArray, Floats
from theory.hazards.conformance import check_hazard


@dataclass(frozen=True)
class Growing:
    """The rate `growth * t` at t >= 0: P(no change in (s, e]) = exp(-growth (e^2 - s^2) / 2)."""

    growth: float

    def survival(
        self, start: FloatOrArray, end: FloatOrArray, *, since: FloatOrArray | None = None
    ) -> FloatOrArray:
        return np.exp(-self.growth * (np.square(end) - np.square(start)) / 2)

    def sample(
        self, rng: np.random.Generator, start: Floats, *, since: Floats | None = None
    ) -> Floats:
        drawn = 2 * rng.standard_exponential(np.shape(start)) / self.growth
        return np.sqrt(np.square(start) + drawn)


if __name__ == "__main__":
    check_hazard(Growing(0.001), rng=np.random.default_rng(0), start=3.0)
    held = ceiling(Growing(0.001), Timeline.from_gaps(24.0))
    print(f"conforms; holds for a day with chance {held:.3f},")
    print(f"and with 90 % for {max_gap(Growing(0.001), 0.9):.1f} hours")
