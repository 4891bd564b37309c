"""A log of change times: each row says when a fact changed."""

from __future__ import annotations

import polars as pl

from theory.errors import BadInput
from theory.estimate.history import Dropped, History, named_log, observed_span
from theory.estimate.intervals import merged, stretches_between


def change_times(
    log: pl.DataFrame, *, span_start: float | None = None, span_end: float | None = None
) -> History:
    """The history of facts that were watched over the whole span, in hours.

    `log` has columns `fact` and `time`, in any order of rows. The span includes both its ends and
    runs by default from the first time to the last: it then starts with a change that is counted,
    so give the span where changes are few. Several changes of a fact at one moment are one.
    """
    names, table = named_log(log, ("time",))
    if table["time"].null_count():
        raise BadInput("time", None, "must not be empty")
    span = observed_span(table["time"], span_start, span_end)
    inside = table.filter(pl.col("time").is_between(*span))
    moments = merged(inside.select("fact", start="time", end="time"), len(names))
    return History(
        facts=names,
        stretches=stretches_between(moments, len(names), span),
        span=span,
        dropped=Dropped(
            zero_length=0,
            repeated=inside.height - moments.height,
            outside=table.height - inside.height,
        ),
    )
