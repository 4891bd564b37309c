"""Decisions played on from their facts: routed, judged, and counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from theory import Factorisation, Timeline
from theory.arrays import Floats

Flags = NDArray[np.bool_]


class Judged(NamedTuple):
    """A run's decisions, arrays of one shape (decisions,)."""

    changing: Flags
    """Should change: a fact changed before the action."""
    delivered: Flags
    """Its decisive news reached it."""
    switched: Flags
    """The judge switched it."""

    @property
    def right(self) -> Flags:
        """Changing and switched, or standing and kept."""
        right: Flags = self.changing == self.switched
        return right

    @property
    def counts(self) -> dict[str, int]:
        """The arguments of `Factorisation.from_counts`."""
        return {
            "standing": _count(~self.changing),
            "kept": _count(~self.changing & ~self.switched),
            "delivered": _count(self.delivered),
            "switched_delivered": _count(self.delivered & self.switched),
            "missed": _count(self.changing & ~self.delivered),
            "switched_missed": _count(self.changing & ~self.delivered & self.switched),
        }

    @property
    def factorisation(self) -> Factorisation:
        """The rates of this very sample, exactly."""
        return Factorisation.from_counts(**self.counts)


def judge(
    first_change: Floats,
    timeline: Timeline,
    *,
    routed: Floats,
    judged: Floats,
    recall: float,
    K: float | Floats,
    S: float,
    L: float,
) -> Judged:
    """Route first changes that are news in `(decided, deadline]` with chance `recall`, and judge.

    `routed` and `judged` are uniform draws, one a decision: pass the same ones to compare two
    routers under common random numbers.
    """
    changing = first_change <= timeline.action
    news = (first_change > timeline.decided) & (first_change <= timeline.deadline)
    delivered = news & (routed < recall)
    switch_rate = np.where(delivered, S, np.where(changing, L, 1.0 - np.asarray(K)))
    return Judged(changing, delivered, judged < switch_rate)


def _count(flags: Flags) -> int:
    return int(np.count_nonzero(flags))
