"""What a hazard is: the law of the time at which a fact next changes."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from theory.arrays import FloatOrArray, Floats


@runtime_checkable
class Hazard(Protocol):
    """The rate of change of one fact, per unit of time.

    Hazards of independent facts add: the chance that none changes is the product of their
    survivals. `theory.hazards.conformance` checks any class that claims to be one.
    """

    def survival(
        self, start: FloatOrArray, end: FloatOrArray, *, since: FloatOrArray | None = None
    ) -> FloatOrArray:
        """P(no change in `(start, end]`), for `start <= end`; arguments broadcast.

        `since` is the time of the fact's last change where it is known; only hazards that depend
        on a fact's age read it.
        """
        ...

    def sample(
        self, rng: np.random.Generator, start: Floats, *, since: Floats | None = None
    ) -> Floats:
        """One first change after each `start`: times of the shape of `start`, inf for never."""
        ...
