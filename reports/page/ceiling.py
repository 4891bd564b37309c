"""The section on the ceiling, from the experiment of its claim or from a sweep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from reports.charts.ceiling import ceiling_charts
from reports.page.figure import Figure, Section, table
from reports.page.numbers import count, p_value, percent, plural, quantity, share, verb
from sim.experiments import FAMILY_ERROR
from sim.verification import Verification
from theory import Constant
from theory.inference import binomial_limits, binomial_p_value, holm

ID, TITLE, SHORT = "ceiling", "How long a decision stays right", "Ceiling"
_MOST = {"freshness": 4, "hazard": 5, "gap": 24}
"""How many values of each axis are drawn, of a sweep that has more."""
_CELL = ["freshness", "hazard", "gap"]


class _Cells(NamedTuple):
    """What was measured, and where it comes from."""

    frame: pl.DataFrame
    """hazard, gap, freshness, trials, ceiling, predicted, measured, low, high, p_value and
    rejected; a row a cell."""
    origin: str
    """Of which simulation, in words."""


def ceiling_section(found: Verification | None, sweep: pl.DataFrame | None = None) -> Section:
    """Survival over the execution gap by hazard, one chart a freshness gap.

    A sweep (hazard, gap, freshness, decisions, safe) takes the place of the claim's own grid.
    """
    if sweep is not None:
        cells = _Cells(_swept(sweep), "of the sweep")
    elif found is not None:
        cells = _Cells(_verified(found.outcome.cells), "of the claim's experiment")
    else:
        lead = "Not shown: the claim freshness-ceiling was not verified, and no sweep was given."
        return Section(ID, TITLE, SHORT, lead)
    drawn = _thinned(cells.frame)
    return Section(ID, TITLE, SHORT, _lead(drawn), [_figure(cells, drawn)])


def _figure(cells: _Cells, drawn: pl.DataFrame) -> Figure:
    some = "" if drawn.height == cells.frame.height else f"{count(drawn.height)} "
    trials = cells.frame["trials"].unique().sort()
    each = " to ".join(count(number) for number in dict.fromkeys((trials[0], trials[-1])))
    return Figure(
        id="ceiling-curves",
        drawings=ceiling_charts(drawn),
        says=(
            "Lines: the chance that a fact changing at this rate has not changed by the action. "
            "Dotted: the ceiling that the execution gap alone sets. Dots: shares of "
            f"{each} simulated decisions each, with exact 99 % limits, in {some and some + 'of '}"
            f"{plural(cells.frame.height, 'cell')} {cells.origin}; over all of them "
            f"{verb(int(cells.frame['rejected'].sum()), 'is', 'are')} rejected."
        ),
        tables=[
            table(
                drawn,
                "Predicted and measured share of decisions still right",
                {
                    "freshness": ("freshness gap, h", quantity),
                    "hazard": ("changes per hour", quantity),
                    "gap": ("execution gap, h", quantity),
                    "ceiling": ("ceiling", share),
                    "predicted": ("predicted", share),
                    "measured": ("measured", share),
                    "low": ("low", share),
                    "high": ("high", share),
                    "p_value": ("p-value", p_value),
                },
            )
        ],
    )


def _verified(cells: pl.DataFrame) -> pl.DataFrame:
    """The claim's own grid: measured survivals, each with the ceiling of its cell."""
    bounds = cells.filter(pl.col("quantity") == "ceiling").select(*_CELL, ceiling="predicted")
    survivals = cells.filter(pl.col("quantity") == "no change")
    return survivals.join(bounds, on=_CELL, how="left").sort(_CELL)


def _swept(sweep: pl.DataFrame) -> pl.DataFrame:
    """A sweep's cells, replicates pooled, held against theory like a claim's."""
    pooled = (
        sweep.group_by(_CELL)
        .agg(pl.col("safe").sum(), trials=pl.col("decisions").sum())
        .sort(_CELL)
    )
    fresh, rate, gap, safe, trials = (pooled[name].to_numpy() for name in pooled.columns)
    laws = [Constant(value) for value in rate]
    predicted = np.array([law.survival(-f, g) for law, f, g in zip(laws, fresh, gap, strict=True)])
    p_values = binomial_p_value(safe, trials, predicted)
    low, high = binomial_limits(safe, trials, confidence=0.99)
    return pooled.with_columns(
        ceiling=pl.Series([law.survival(0.0, g) for law, g in zip(laws, gap, strict=True)]),
        predicted=pl.Series(predicted),
        measured=pl.Series(safe / trials),
        low=pl.Series(low),
        high=pl.Series(high),
        p_value=pl.Series(p_values),
        rejected=pl.Series(holm(p_values, FAMILY_ERROR)),
    )


def _thinned(cells: pl.DataFrame) -> pl.DataFrame:
    """The cells that are drawn: of each axis a few values, the outermost included."""
    for axis, most in _MOST.items():
        values = cells[axis].unique().sort()
        chosen = np.unique(np.linspace(0, len(values) - 1, most).round().astype(int))
        cells = cells.filter(pl.col(axis).is_in(values.gather(chosen).implode()))
    return cells


def _lead(cells: pl.DataFrame) -> str:
    """The middle hazard at the longest gap, with fresh and with the oldest evidence."""
    rates = cells["hazard"].unique().sort()
    law = Constant(float(rates[len(rates) // 2]))
    gap, oldest = (float(cells[name].max()) for name in ("gap", "freshness"))  # type: ignore[arg-type]
    lead = (
        f"A decision on a fact that changes {quantity(law.rate)} times an hour, carried out "
        f"{quantity(gap)} h later, is still right with a chance of at most "
        f"{percent(float(law.survival(0.0, gap)))}"
    )
    if oldest == 0:
        return f"{lead}, however fresh its evidence."
    aged = percent(float(law.survival(-oldest, gap)))
    return f"{lead}, and {aged} if its evidence was {quantity(oldest)} h old when it was made."
