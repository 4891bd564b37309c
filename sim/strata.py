"""Measures within strata: by kind of reference, by what news came, by where in time it lies."""

from __future__ import annotations

import polars as pl

from sim.measures import CONFIDENCE, shares
from sim.streams.stream import RELATED
from theory.inference import binomial_limits

TIMES = {
    "decisive": "during",
    "ended-before": "ended before",
    "starts-after": "starts after",
    "does-not-block": "does not block",
    "other-day": "another day",
}
"""Where in time a related notice lies, as seen from the activity."""
WRONG_TIME = ("ended-before", "starts-after", "other-day")
"""Related notices that would be decisive at another time."""
EPISODE = ("stream", "router", "k", "judge", "gold", "simulated")
"""What tells episodes apart, whatever the seeds of their streams."""
_DELIVERED_TO = ["stream", "router", "k", "seed", "decision"]


def by_reference(decisions: pl.DataFrame) -> pl.DataFrame:
    """`sim.measures.shares` of each episode by kind of reference and label."""
    return shares(decisions, by=(*EPISODE, "kind", "label"))


def by_time(decisions: pl.DataFrame, deliveries: pl.DataFrame) -> pl.DataFrame:
    """How decisions fared that a related notice reached, by where in time it lies.

    A row an episode and time, those of `TIMES`: `decisions` that at least one such notice reached,
    `right` ones (switched for "during", kept for the others), their share `correct`, `low` and
    `high`, its exact 95 % limits. Standing decisions count at every time of which they got a
    notice; changing ones, at "during" alone.
    """
    reached = _relations(deliveries)
    rows = decisions.join(reached, on=_DELIVERED_TO).filter(
        (pl.col("label") == 0) == (pl.col("relation") != "decisive")
    )
    counted = rows.group_by([*EPISODE, "relation"], maintain_order=True).agg(
        decisions=pl.len().cast(pl.Int64), right=pl.col("right").sum().cast(pl.Int64)
    )
    return _with_share(
        counted.with_columns(time=pl.col("relation").replace_strict(TIMES)).drop("relation")
    )


def by_news(decisions: pl.DataFrame, deliveries: pl.DataFrame) -> pl.DataFrame:
    """How decisions fared by kind of reference and the related news that they received.

    A row an episode, `kind`, `label` and `news` ("decisive", "other related" or "none"):
    `decisions`, `right`, `correct`, `low` and `high` as in `by_time`.
    """
    told = (
        _relations(deliveries)
        .group_by(_DELIVERED_TO)
        .agg(decisive_came=(pl.col("relation") == "decisive").any())
    )
    rows = decisions.join(told, on=_DELIVERED_TO, how="left", maintain_order="left")
    news = (
        pl.when(pl.col("decisive_came"))
        .then(pl.lit("decisive"))
        .when(pl.col("decisive_came").is_not_null())
        .then(pl.lit("other related"))
        .otherwise(pl.lit("none"))
    )
    return _with_share(
        rows.with_columns(news=news)
        .group_by([*EPISODE, "kind", "label", "news"], maintain_order=True)
        .agg(decisions=pl.len().cast(pl.Int64), right=pl.col("right").sum().cast(pl.Int64))
    )


def _relations(deliveries: pl.DataFrame) -> pl.DataFrame:
    """A row a decision and relation of a related notice that reached it."""
    related = deliveries.filter(pl.col("relation").is_in(RELATED))
    return related.select(*_DELIVERED_TO, "relation").unique(maintain_order=True)


def _with_share(counted: pl.DataFrame) -> pl.DataFrame:
    right, trials = (counted[name].to_numpy() for name in ("right", "decisions"))
    low, high = binomial_limits(right, trials, confidence=CONFIDENCE)
    return counted.with_columns(
        correct=pl.col("right") / pl.col("decisions"), low=pl.Series(low), high=pl.Series(high)
    )
