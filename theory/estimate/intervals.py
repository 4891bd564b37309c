"""From merged intervals of change to the stretches between them."""

from __future__ import annotations

import polars as pl

from theory.estimate.history import Span


def merged(intervals: pl.DataFrame) -> pl.DataFrame:
    """Intervals of each fact joined where they overlap or touch, sorted: fact, start, end."""
    fact, start, end = pl.col("fact"), pl.col("start"), pl.col("end")
    reached = end.cum_max().shift(1).over("fact")
    opens = reached.is_null() | (start > reached)
    return (
        intervals.sort("fact", "start", "end")
        .with_columns(run=opens.cum_sum())
        .group_by("run", maintain_order=True)
        .agg(fact.first(), start.first(), end.max())
        .select("fact", "start", "end")
    )


def stretches_between(intervals: pl.DataFrame, facts: int, span: Span) -> pl.DataFrame:
    """The stretches that merged intervals leave of a span in which every fact was watched.

    The start of an interval is a change unless it lies before the span. A fact's age is known
    from the end of its first interval on.
    """
    fact, start, end = pl.col("fact"), pl.col("start"), pl.col("end")
    # An interval at the end of the span closes each fact's last stretch, without a change.
    closing = pl.DataFrame({"fact": pl.int_range(facts, dtype=pl.UInt32, eager=True)}).with_columns(
        start=pl.lit(span.end), end=pl.lit(span.end), changed=pl.lit(False)
    )
    before = end.shift(1).over("fact")
    return (
        pl.concat([intervals.with_columns(changed=start >= span.start), closing])
        .sort("fact", "start", "changed", descending=[False, False, True])
        .with_columns(start.clip(span.start, span.end), end.clip(span.start, span.end))
        .select(
            fact,
            start=before.fill_null(span.start),
            end=start,
            age=pl.when(before.is_not_null()).then(0.0),
            changed=pl.col("changed"),
        )
        .filter((start < end) | pl.col("changed"))
    )
