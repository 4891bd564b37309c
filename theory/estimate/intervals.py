"""From intervals of change to the stretches between them."""

from __future__ import annotations

import numpy as np
import polars as pl

from theory.estimate.grouped import sorted_within
from theory.estimate.history import Span


def merged(intervals: pl.DataFrame, facts: int) -> pl.DataFrame:
    """Intervals of each fact joined where they overlap or touch, sorted: fact, start, end."""
    fact, start, reached = pl.col("fact"), pl.col("start"), pl.col("reached")
    runs = (
        sorted_within(intervals, "start", facts)
        .with_columns(reached=pl.col("end").cum_max().over("fact"))
        .with_columns(opens=(fact != fact.shift(1)) | (start > reached.shift(1)))
        .with_columns(pl.col("opens").fill_null(True))
    )
    closes = pl.col("opens").shift(-1, fill_value=True)
    return runs.filter(pl.col("opens")).select("fact", "start", end=runs.filter(closes)["reached"])


def stretches_between(intervals: pl.DataFrame, facts: int, span: Span) -> pl.DataFrame:
    """The stretches that merged intervals leave of a span in which every fact was watched.

    The start of an interval is a change unless it lies before the span. A fact's age is known
    from the end of its first interval on.
    """
    numbers, fact = np.arange(facts, dtype=np.uint32), intervals["fact"].to_numpy()
    start, end = intervals["start"].to_numpy(), intervals["end"].to_numpy()
    first = np.searchsorted(fact, numbers, side="left")
    after = np.searchsorted(fact, numbers, side="right")
    # Each fact has one stretch more than intervals: it begins with the span, or at an interval's
    # end, and ends at an interval's start, or with the span.
    fact = np.insert(fact, after, numbers)
    stretch_start = np.insert(end.clip(*span), first, span.start)
    stretch_end = np.insert(start.clip(*span), after, span.end)
    changed = np.insert(start >= span.start, after, False)
    age = np.zeros(fact.size)
    age[np.searchsorted(fact, numbers)] = np.nan
    return pl.DataFrame(
        {
            "fact": fact,
            "start": stretch_start,
            "end": stretch_end,
            "age": age,
            "changed": changed,
        },
        nan_to_null=True,
    ).filter((pl.col("start") < pl.col("end")) | pl.col("changed"))
