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
from numpy.typing import NDArray

from theory.arrays import Floats
from theory.estimate.grouped import Ints, sorted_within
from theory.estimate.history import History


@dataclass(frozen=True, eq=False)
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
    fact, start, end = history.fact, history.start, history.end
    follows = (fact[1:] > fact[:-1]) | (start[1:] >= end[:-1])
    if follows.all():
        reading, changed = np.cumsum(end - start), history.changed
    else:
        fact, reading, changed = _side_by_side(history)
    facts, readings = np.arange(len(history.facts)), np.concatenate([[0.0], reading])
    begun = readings[np.searchsorted(fact, facts, side="left")]
    total = readings[np.searchsorted(fact, facts, side="right")] - begun
    fact = fact[changed]
    return Clock(fact, reading[changed] - begun[fact], total)


def _side_by_side(history: History) -> tuple[Ints, Floats, NDArray[np.bool_]]:
    """Fact, time on one clock for all facts, and whether it is a change, at each bound in order."""
    bounds = sorted_within(
        pl.DataFrame(
            {
                "fact": np.tile(history.fact, 2),
                "time": np.concatenate([history.start, history.end]),
                "step": np.repeat(np.array([1, -1], dtype=np.int8), history.fact.size),
                "changed": np.concatenate([np.zeros_like(history.changed), history.changed]),
            }
        ),
        "time",
        len(history.facts),
    )
    # Nothing is watched between one fact's last bound and the next one's first: one sum serves all.
    watched = np.cumsum(bounds["step"].to_numpy(), dtype=np.int64)[:-1]
    reading = np.concatenate([[0.0], np.cumsum(watched * np.diff(bounds["time"].to_numpy()))])
    return bounds["fact"].to_numpy(), reading, bounds["changed"].to_numpy()
