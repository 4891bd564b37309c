"""A hazard that steps between constant rates at known times.

P(no change in `(s, e]`) = exp(-(M(e) - M(s))) with M the integral of the rate. The first change
after s is where M has grown by a standard exponential, found by inverting M.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from theory.arrays import FloatOrArray, Floats, at_least, finite, plain
from theory.errors import BadInput
from theory.hazards.interval import elapsed


@dataclass(frozen=True)
class Piecewise:
    """Rate `rates[0]` before `times[0]`, `rates[i]` from `times[i - 1]` to `times[i]`."""

    times: tuple[float, ...]
    """Where the rate steps: n >= 1 times, strictly increasing."""
    rates: tuple[float, ...]
    """n + 1 rates, changes per unit of time, each >= 0."""

    def __init__(self, times: Sequence[float] | Floats, rates: Sequence[float] | Floats) -> None:
        steps, levels = finite("times", np.asarray(times)), at_least("rates", np.asarray(rates), 0)
        if steps.ndim != 1 or steps.size == 0 or (np.diff(steps) <= 0).any():
            raise BadInput("times", times, "must be one or more strictly increasing times")
        if levels.shape != (steps.size + 1,):
            raise BadInput("rates", rates, f"must hold one rate more than times, {steps.size + 1}")
        object.__setattr__(self, "times", tuple(steps.tolist()))
        object.__setattr__(self, "rates", tuple(levels.tolist()))

    def survival(
        self,
        start: FloatOrArray,
        end: FloatOrArray,
        *,
        since: FloatOrArray | None = None,
    ) -> FloatOrArray:
        """exp(-integral of the rate from `start` to `end`); arguments broadcast."""
        elapsed(start, end)
        return plain(np.exp(-np.maximum(self._integral(end) - self._integral(start), 0.0)))

    def sample(
        self,
        rng: np.random.Generator,
        start: Floats,
        *,
        since: Floats | None = None,
    ) -> Floats:
        """Where the integral of the rate has grown by a standard exponential; inf for never."""
        start = np.asarray(start, dtype=np.float64)
        reached = self._integral(start) + rng.standard_exponential(start.shape)
        step = np.searchsorted(self._reached, reached, side="left")
        origin, level, rate = self._origins[step], self._levels[step], np.asarray(self.rates)[step]
        with np.errstate(divide="ignore"):
            changed: Floats = np.maximum(origin + (reached - level) / rate, start)
        return changed

    @cached_property
    def _reached(self) -> Floats:
        """The integral at each step, 0 at the first."""
        grown = np.diff(self.times) * np.asarray(self.rates[1:-1])
        return np.concatenate([[0.0], np.cumsum(grown)])

    @cached_property
    def _origins(self) -> Floats:
        """For each piece, a time at which its integral is known (one of its ends)."""
        return np.asarray((self.times[0], *self.times))

    @cached_property
    def _levels(self) -> Floats:
        """The integral at each of `_origins`."""
        return np.concatenate([[0.0], self._reached])

    def _integral(self, time: FloatOrArray) -> Floats:
        """The integral of the rate from the first step to `time`, negative before it."""
        at = np.asarray(time, dtype=np.float64)
        piece = np.searchsorted(self.times, at, side="right")
        return self._levels[piece] + np.asarray(self.rates)[piece] * (at - self._origins[piece])
