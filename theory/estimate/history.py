"""What was seen of facts: the one value that every estimator reads, whatever log it came from.

A history is a set of *stretches*: times over which a fact was watched and did not change. Exposure
is their total length, a change is the end of one, and tests of a constant hazard see nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from theory.arrays import Floats
from theory.errors import BadInput
from theory.estimate.grouped import Ints, totals

MOST_HOURS = 1e12
"""Times lie within so many hours of zero."""
LEAST_HOURS = 1e-12
"""A time closer to zero is zero."""
_IN_RANGE = f"must be finite and within {MOST_HOURS:g} hours of zero"


class Span(NamedTuple):
    """The time over which the facts were observed, both ends included, in hours."""

    start: float
    end: float


class Dropped(NamedTuple):
    """Rows of the log that tell of no stretch and no change."""

    zero_length: int
    """Outages or spells that end when they start."""
    repeated: int
    """Change times that the same fact already has."""
    outside: int
    """Rows with nothing inside the span."""


@dataclass(frozen=True, eq=False)
class History:
    """Stretches by fact, over a span."""

    facts: tuple[str, ...]
    """Names, sorted: every fact of the log, watched or not."""
    stretches: pl.DataFrame
    """Sorted by fact and start. `fact` (UInt32, index into `facts`), `start` and `end` (hours),
    `age` (hours since the fact last changed, at `start`; null where unknown), `changed` (whether
    the stretch ended in a change; if not, it was cut)."""
    span: Span
    """When the facts were observed."""
    dropped: Dropped
    """What the log held besides."""

    @cached_property
    def changes(self) -> Ints:
        """Changes by fact."""
        return self._total(self.changed.astype(np.float64)).astype(np.int64)

    @cached_property
    def exposure(self) -> Floats:
        """Hours watched and unchanged, by fact."""
        return self._total(self.length)

    @cached_property
    def fact(self) -> Ints:
        """The fact of each stretch, ascending."""
        return self.stretches["fact"].to_numpy().astype(np.int64)

    @property
    def start(self) -> Floats:
        """When each stretch begins."""
        return self.stretches["start"].to_numpy()

    @property
    def end(self) -> Floats:
        """When each stretch ends: at its start only where a change falls on that of the span."""
        return self.stretches["end"].to_numpy()

    @cached_property
    def length(self) -> Floats:
        """Hours of each stretch, >= 0."""
        return self.end - self.start

    @cached_property
    def changed(self) -> NDArray[np.bool_]:
        """Whether each stretch ended in a change."""
        return self.stretches["changed"].to_numpy()

    def pooled(self) -> Self:
        """The same stretches, as if all were of one fact; still in the order of the facts."""
        one = self.stretches.with_columns(fact=pl.lit(0, pl.UInt32))
        return replace(self, facts=("all",), stretches=one)

    def only(self, rows: pl.Expr) -> Self:
        """The history of the stretches that `rows` picks; its facts keep their places."""
        return replace(self, stretches=self.stretches.filter(rows))

    def _total(self, weight: Floats) -> Floats:
        return totals(self.fact, weight, len(self.facts))


def named_log(log: pl.DataFrame, times: tuple[str, ...]) -> tuple[tuple[str, ...], pl.DataFrame]:
    """The facts' names, sorted, and the log with indices in their place and times as doubles.

    Refuses a missing column, an empty log, facts without a name and times that are not finite or
    far off; a null time is left for the caller to judge.
    """
    for column in ("fact", *times):
        if column not in log.columns:
            raise BadInput(column, log.columns, "must be a column of the log")
    if log.is_empty():
        raise BadInput("log", "no rows", "must hold at least one row")
    if log["fact"].null_count():
        raise BadInput("fact", None, "must not be empty")
    names = log["fact"].cast(pl.String).unique().sort()
    try:
        table = log.select(
            pl.col("fact").cast(pl.String).cast(pl.Enum(names)).to_physical().cast(pl.UInt32),
            *(pl.col(time).cast(pl.Float64) for time in times),
        )
    except pl.exceptions.PolarsError as error:
        raise BadInput("log", log.schema, f"must hold numbers as {' and '.join(times)}") from error
    for time in times:
        wrong = table[time].filter(~(table[time].abs() <= MOST_HOURS))
        if wrong.len():
            raise BadInput(time, wrong[0], _IN_RANGE)
    # What rounding leaves of zero is zero: rates over such times would overflow.
    settled = (
        pl.when(pl.col(time).abs() < LEAST_HOURS).then(0.0).otherwise(pl.col(time)).alias(time)
        for time in times
    )
    return tuple(names), table.with_columns(*settled)


def observed_span(times: pl.Series, span_start: float | None, span_end: float | None) -> Span:
    """The span given, or from the first of `times` to the last where an end is not."""
    first, last = float(times.min()), float(times.max())  # type: ignore[arg-type]
    ends = (first if span_start is None else span_start, last if span_end is None else span_end)
    span = Span(*(0.0 if abs(time) < LEAST_HOURS else float(time) for time in ends))
    for name, time in zip(("span_start", "span_end"), span, strict=True):
        if not abs(time) <= MOST_HOURS:
            raise BadInput(name, time, _IN_RANGE)
    if span_start is not None and span_end is not None and span.start >= span.end:
        raise BadInput("span_start", span.start, f"must be before span_end(={span.end:g})")
    if span.start > span.end:
        given = "span_end" if span_start is None else "span_start"
        rule = f"must leave some of the log, which runs from {first:g} to {last:g}"
        raise BadInput(given, getattr(span, given.removeprefix("span_")), rule)
    return span
