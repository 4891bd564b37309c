"""A log of spells: each row says from when to when a value held."""

from __future__ import annotations

import polars as pl

from theory.errors import BadInput
from theory.estimate.grouped import sorted_within
from theory.estimate.history import Dropped, History, named_log, observed_span
from theory.estimate.outages import check_order


def spells(
    log: pl.DataFrame, *, span_start: float | None = None, span_end: float | None = None
) -> History:
    """The history of values each of which was watched while it held: a spell's end is the change.

    `log` has columns `fact`, `start` and `end`, in hours and any order of rows; a null end is a
    spell still open, cut at the end of the span, as is one that ends later. One that began before
    the span is watched from there on, but its age counts from its own start. Every row is a life
    of its own: spells of one fact may overlap, and each adds its exposure. Those of no length are
    dropped. The span includes both its ends and runs by default from the first start to the last
    time.
    """
    names, table = named_log(log, ("start", "end"))
    if table["start"].null_count():
        raise BadInput("start", None, "must not be empty")
    check_order(table)
    span = observed_span(pl.concat([table["start"], table["end"]]), span_start, span_end)
    start, end = pl.col("start"), pl.col("end")
    lasting = table.filter(end.is_null() | (start < end))
    ended = end.is_not_null() & (end <= span.end)
    seen_from, seen_to = start.clip(lower_bound=span.start), end.fill_null(span.end)
    seen = lasting.select(
        "fact",
        start=seen_from,
        end=seen_to.clip(upper_bound=span.end),
        age=seen_from - start,
        changed=ended,
    ).filter((start < end) | ((start == end) & pl.col("changed")))
    stretches = sorted_within(seen, "start", len(names))
    return History(
        facts=names,
        stretches=stretches,
        span=span,
        dropped=Dropped(
            zero_length=table.height - lasting.height,
            repeated=0,
            outside=lasting.height - stretches.height,
        ),
    )
