"""The clock on which changes at one constant rate are a Poisson process: cumulated exposure.

On the calendar they are none: nothing can change while a fact is down, and more changes while more
of it is watched. On a clock that advances by the exposure gone by (the total time on test), each
change of a constant hazard falls anywhere with equal chance, given their number. The Laplace,
dispersion and Lilliefors tests stand on that alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from theory.arrays import Floats
from theory.estimate.grouped import Ints
from theory.estimate.history import History


@dataclass(frozen=True)
class Clock:
    """When each fact changed, on a clock of its own exposure that starts at 0."""

    fact: Ints
    """The fact of each change, ascending."""
    at: Floats
    """Hours of exposure gone by at each change, ascending by fact, in [0, total]."""
    total: Floats
    """Exposure of each fact: shape (facts,)."""

    @cached_property
    def changes(self) -> Ints:
        """Changes by fact."""
        return np.bincount(self.fact, minlength=self.total.size)

    def end_to_end(self) -> Clock:
        """One clock that runs through all facts, one after the other."""
        begun = np.cumsum(self.total) - self.total
        return Clock(
            np.zeros_like(self.fact), begun[self.fact] + self.at, self.total.sum(keepdims=True)
        )

    def within(self) -> Clock:
        """Without the changes at the very ends of a clock.

        Where the log itself sets the span, or every value was watched to its end, these define the
        clock rather than fall on it.
        """
        inside = (self.at > 0) & (self.at < self.total[self.fact])
        return Clock(self.fact[inside], self.at[inside], self.total)

    def with_at_least(self, needed: int) -> tuple[Ints, Clock]:
        """The facts with enough changes, ascending, and their clocks numbered from 0."""
        chosen = np.flatnonzero(self.changes >= needed)
        place = np.full(self.total.size, -1)
        place[chosen] = np.arange(chosen.size)
        renumbered = place[self.fact]
        kept = renumbered >= 0
        return chosen, Clock(renumbered[kept], self.at[kept], self.total[chosen])


def exposure_clock(history: History) -> Clock:
    """Each fact's clock, which advances as many times as fast as stretches of it run side by side.

    Stretches of one fact overlap only where spells do, or where facts are pooled.
    """
    stretches = history.stretches
    bounds = (
        pl.concat(
            [
                stretches.select("fact", time="start", step=pl.lit(1), changed=pl.lit(False)),
                stretches.select("fact", time="end", step=pl.lit(-1), changed="changed"),
            ]
        )
        .sort("fact", "time")
        .with_columns(watched=pl.col("step").cum_sum())
    )
    fact, changed = bounds["fact"].to_numpy().astype(np.int64), bounds["changed"].to_numpy()
    watched, time = bounds["watched"].to_numpy(), bounds["time"].to_numpy()
    # Nothing is watched between one fact's last bound and the next one's first: one sum serves all.
    reading = np.concatenate([[0.0], np.cumsum(watched[:-1] * np.diff(time))])
    numbers = np.arange(len(history.facts))
    first = np.searchsorted(fact, numbers, side="left")
    after = np.searchsorted(fact, numbers, side="right")
    readings = np.append(reading, 0.0)  # for a fact with no stretch at the end of the list
    begun = readings[first]
    total = np.where(after > first, reading[after - 1] - begun, 0.0)
    return Clock(fact[changed], (reading - begun[fact])[changed], total)
