"""All tests of a constant hazard on each fact of a history.

No single test sees every departure: Laplace sees trends, dispersion bursts and schedules,
Lilliefors the law of the gaps, Weibull a hazard that moves with age.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from theory.estimate.clock import Clock, exposure_clock
from theory.estimate.constancy import dispersion, laplace, lilliefors, weibull
from theory.estimate.history import History
from theory.estimate.significance import Outcomes, Significance


class Constancy(NamedTuple):
    """Each test's null: one constant hazard, of this fact or of all those pooled."""

    laplace: Significance
    """Statistic z: above 0, changes come faster as time goes on."""
    dispersion: Significance
    """Statistic variance over mean of counts: above 1, bursts; below, regular changes."""
    lilliefors: Significance
    """Statistic D; its p-value is never below 0.001 or above 0.99."""
    weibull: Significance
    """Statistic the shape: below 1, the hazard falls with age; above, it rises."""


def constancy(history: History) -> tuple[Constancy, list[Constancy]]:
    """The four tests of all facts pooled, which share one constant hazard; and of each fact.

    Pooled, trends and bursts are looked for at moments of the calendar, over all facts at once;
    gaps still lie between changes of the same fact.
    """
    pooled, clock = history.pooled(), exposure_clock(history)
    single = len(history.facts) == 1
    moments = clock if single else exposure_clock(pooled)
    together = _suite(moments, clock.end_to_end(), pooled)
    return together[0], together if single else _suite(clock, clock, history)


def _suite(moments: Clock, gaps: Clock, history: History) -> list[Constancy]:
    moments, gaps = moments.within(), gaps.within()
    within, aged = "changes within the exposure", "changes at a known age"
    columns = (
        _tests(laplace.laplace(moments), laplace.NEEDED, within),
        _tests(dispersion.dispersion(moments), dispersion.NEEDED, within),
        _tests(lilliefors.lilliefors(gaps), lilliefors.NEEDED, within),
        _tests(weibull.weibull(history), weibull.NEEDED, aged),
    )
    return [Constancy(*tests) for tests in zip(*columns, strict=True)]


def _tests(outcomes: Outcomes, needed: int, what: str) -> list[Significance]:
    rows = zip(*(column.tolist() for column in outcomes), strict=True)
    return [
        Significance(statistic, p_value) if events >= needed else _too_few(needed, events, what)
        for statistic, p_value, events in rows
    ]


@cache
def _too_few(needed: int, events: int, what: str) -> Significance:
    return Significance(None, None, f"needs {needed} {what}, has {events}")
