"""The freshness ceiling that a fitted rate puts on decisions carried out after a gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theory.arrays import finite
from theory.ceiling import ceiling
from theory.errors import BadInput
from theory.estimate.rate import Rate
from theory.hazards.constant import Constant
from theory.timeline import Timeline


@dataclass(frozen=True, slots=True)
class GapCeiling:
    """exp(-rate x gap): how often a fact still holds after the gap."""

    gap: float
    """Execution gap in hours, > 0."""
    ceiling: float
    """At the estimated rate."""
    low: float
    """At the rate's upper limit."""
    high: float
    """At the rate's lower limit."""


def gap_ceilings(rate: Rate, gaps: Sequence[float]) -> tuple[GapCeiling, ...]:
    """The ceiling at each gap, with limits from the rate's; empty where the rate is null."""
    if rate.rate is None or rate.low is None or rate.high is None:
        return ()
    hours = finite("gap", np.asarray(gaps, dtype=np.float64))
    if (hours <= 0).any():
        raise BadInput("gap", float(hours.min()), "must be > 0")
    timeline = Timeline.from_gaps(hours)
    columns = [ceiling(Constant(value), timeline) for value in (rate.rate, rate.high, rate.low)]
    rows = zip(hours.tolist(), *(np.asarray(column).tolist() for column in columns), strict=True)
    return tuple(GapCeiling(*row) for row in rows)
