"""The section on the risk split: one hazard and freshness gap, a chart a revision window."""

from __future__ import annotations

import polars as pl

from reports.charts.look import SHARES
from reports.charts.risk_split import risk_split_charts
from reports.page.figure import Figure, Section, table
from reports.page.numbers import p_value, percent, plural, quantity, share, verb
from sim.verification import Verification

ID, TITLE, SHORT = "risk", "Where the risk lies, and what routing can win back", "Risk split"


def risk_split_section(found: Verification | None) -> Section:
    """The four shares over the execution gap, one chart a revision window."""
    if found is None:
        return Section(ID, TITLE, SHORT, "The claim risk-split was not verified in this run.")
    points = _points(found.outcome.cells)
    rejected = int(points["rejected"].sum())
    hazard, freshness = float(points["hazard"][0]), float(points["freshness"][0])
    return Section(
        ID,
        TITLE,
        SHORT,
        _lead(points),
        [
            Figure(
                id="risk-shares",
                drawings=risk_split_charts(points),
                says=(
                    f"One fact that changes {quantity(hazard)} times an hour, verified "
                    f"{quantity(freshness)} h before the decision. Areas: the predicted shares, by "
                    "where the first change falls. Dots on their borders: "
                    f"{plural(found.outcome.decisions, 'simulated decision')} each, with exact "
                    f"99 % limits; of {plural(points.height, 'share')} measured here, "
                    f"{verb(rejected, 'is', 'are')} rejected."
                ),
                tables=[
                    table(
                        points,
                        "Predicted and measured shares of where the first change falls",
                        {
                            "window": ("deadline, part of the gap", quantity),
                            "gap": ("execution gap, h", quantity),
                            "quantity": ("share", str),
                            "predicted": ("predicted", share),
                            "measured": ("measured", share),
                            "low": ("low", share),
                            "high": ("high", share),
                            "p_value": ("p-value", p_value),
                        },
                    )
                ],
            )
        ],
    )


def _points(cells: pl.DataFrame) -> pl.DataFrame:
    """The shares at the longest freshness gap and its middle hazard: one chart's worth."""
    aged = cells.filter(
        pl.col("freshness") == cells["freshness"].max(), pl.col("quantity").is_in(list(SHARES))
    )
    rates = aged["hazard"].unique().sort()
    slice_ = aged.filter(pl.col("hazard") == rates[len(rates) // 2])
    return slice_.sort("window", "gap", maintain_order=True)


def _lead(points: pl.DataFrame) -> str:
    """What routing can win back at the longest gap, with the shortest and the longest window."""
    at_end = points.filter(
        pl.col("gap") == points["gap"].max(), pl.col("quantity") == "recoverable"
    ).sort("window")
    short, long = at_end.row(0, named=True), at_end.row(-1, named=True)
    lead = (
        f"Of decisions carried out {quantity(long['gap'])} h later, perfect routing wins back "
        f"{percent(long['predicted'])} if they can be revised for {percent(long['window'])} of that"
    )
    if short["window"] == long["window"]:
        return f"{lead}."
    return (
        f"{lead}, {percent(short['predicted'])} if only for {percent(short['window'])}: news is "
        "worth what can still be changed."
    )
