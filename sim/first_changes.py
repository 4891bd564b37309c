"""Where the first changes of decisions fall: counts of the four shares of `theory.risk_split`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from theory import BadInput, Hazard, Timeline
from theory.arrays import FloatOrArray, Floats, at_least, plain


class FirstChanges(NamedTuple):
    """How many decisions had their first change after `verified` where; they add to all."""

    stale: int
    """Published by the decision: freshness could have avoided it."""
    recoverable: int
    """Published in `(decided, deadline]`: routing can still reach the decision."""
    late: int
    """By the action, but published after the deadline: beyond any router."""
    safe: int
    """None up to the action."""

    @classmethod
    def from_unchanged(
        cls, decisions: int, known: int, reachable: int, action: int
    ) -> FirstChanges:
        """From how many decisions were still without a change at each of the `Cuts`."""
        return cls(decisions - known, known - reachable, reachable - action, action)


class Cuts(NamedTuple):
    """The last moments of change that count as stale, as recoverable, and at all."""

    known: FloatOrArray
    """`decided` less the publication delay, not before `verified`."""
    reachable: FloatOrArray
    """`deadline` less the publication delay, not before `verified`."""
    action: FloatOrArray


def cuts(timeline: Timeline, delay: float = 0.0) -> Cuts:
    """Where the four shares meet, for news that is published `delay` after its change."""
    lag = float(at_least("delay", delay, 0.0))
    known, reachable = (
        plain(np.maximum(np.asarray(time - lag), timeline.verified))
        for time in (timeline.decided, timeline.deadline)
    )
    return Cuts(known, reachable, timeline.action)


def tally(first_changes: Floats, timeline: Timeline, *, delay: float = 0.0) -> FirstChanges:
    """Count first changes, as an engine or a world gives them, by where they fall.

    `first_changes` has shape (decisions,), the timeline's times that shape or none.
    """
    unchanged = (int(np.count_nonzero(first_changes > cut)) for cut in cuts(timeline, delay))
    return FirstChanges.from_unchanged(len(first_changes), *unchanged)


def check_play(hazards: Sequence[Hazard], timeline: Timeline, decisions: int) -> None:
    """Refuse what no engine can play out: no facts, several timelines, no decisions."""
    if not hazards:
        raise BadInput("hazards", [], "must hold at least one hazard")
    if np.ndim(timeline.verified) or np.ndim(timeline.action):
        raise BadInput("timeline", np.shape(timeline.action), "must be one timeline, not an array")
    if decisions < 1:
        raise BadInput("decisions", decisions, "must be >= 1")
