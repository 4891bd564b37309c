"""A constant hazard fitted to a history: rates with their limits, and whether to believe them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.estimate.ages import AgeBin, age_bins
from theory.estimate.alike import alike
from theory.estimate.constancy import Constancy, constancy
from theory.estimate.history import Dropped, History, Span
from theory.estimate.rate import Rate, rate_rows
from theory.estimate.resolution import resolution
from theory.estimate.significance import Significance


@dataclass(frozen=True, slots=True)
class Estimate(Rate):
    """The rate of change of one fact, or of all pooled, and tests of whether it is constant."""

    tests: Constancy
    """Tests of a constant hazard."""
    fact: str | None = None
    """The fact's name; null for all pooled."""


@dataclass(frozen=True)
class Fit:
    """What a history says of its facts' hazards."""

    pooled: Estimate
    """All facts as one: its tests are of one constant hazard that they share."""
    facts: tuple[Estimate, ...]
    """Each fact by itself, sorted by name."""
    alike: Significance
    """The test that all facts change at one rate; its statistic is Pearson's X2."""
    ages: tuple[AgeBin, ...]
    """The hazard by age, all facts together."""
    resolution: float | None
    """Hours of which all times are multiples, a day, an hour or a minute; null for finer ones."""
    span: Span
    """When the facts were observed."""
    dropped: Dropped
    """What the log held besides."""


def fit(history: History, rng: np.random.Generator | None = None) -> Fit:
    """Fit a constant hazard to each fact and to all pooled, and test it.

    `rng` is drawn from only by the test that facts are alike, where expected counts are small;
    without it that test then gives no p-value.
    """
    changes, exposure = history.changes, history.exposure
    together, by_fact = constancy(history)
    (total,) = rate_rows(changes.sum(keepdims=True), exposure.sum(keepdims=True))
    rows = zip(rate_rows(changes, exposure), by_fact, history.facts, strict=True)
    return Fit(
        pooled=Estimate(*total, together),
        facts=tuple(Estimate(*row, tests, fact) for row, tests, fact in rows),
        alike=alike(changes, exposure, rng),
        ages=age_bins(history),
        resolution=resolution(history),
        span=history.span,
        dropped=history.dropped,
    )
