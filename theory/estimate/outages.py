"""A log of outages: each row says from when to when a fact was not as usual."""

from __future__ import annotations

import polars as pl

from theory.errors import BadInput
from theory.estimate.history import Dropped, History, named_log, observed_span
from theory.estimate.intervals import merged, stretches_between


def outages(
    log: pl.DataFrame, *, span_start: float | None = None, span_end: float | None = None
) -> History:
    """The history of facts that were watched while up: an outage's start is the change.

    `log` has columns `fact`, `start` and `end`, in hours and any order of rows; a null end is an
    outage still open, which runs to the end of the span. Outages of one fact that overlap or touch
    count once; those of no length are dropped. The span includes both its ends and runs by default
    from the first start to the last time. An outage that began before the span takes its time out
    of the exposure without being a change in it.
    """
    names, table = named_log(log, ("start", "end"))
    if table["start"].null_count():
        raise BadInput("start", None, "must not be empty")
    check_order(table)
    span = observed_span(pl.concat([table["start"], table["end"]]), span_start, span_end)
    start, end = pl.col("start"), pl.col("end")
    lasting = table.filter(end.is_null() | (start < end))
    inside = lasting.filter(
        (start <= span.end) & (end.is_null() | (end >= span.start))
    ).with_columns(end.fill_null(span.end))
    return History(
        facts=names,
        stretches=stretches_between(merged(inside, len(names)), len(names), span),
        span=span,
        dropped=Dropped(
            zero_length=table.height - lasting.height,
            repeated=0,
            outside=lasting.height - inside.height,
        ),
    )


def check_order(log: pl.DataFrame) -> None:
    """Refuse an interval that ends before it starts."""
    wrong = log.filter(pl.col("end") < pl.col("start"))
    if wrong.height:
        first = wrong.row(0, named=True)
        raise BadInput("end", first["end"], f"must not be before start(={first['start']:g})")
