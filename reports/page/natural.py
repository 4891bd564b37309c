"""The section that ties the ceiling to accuracy: a natural stream without routing."""

from __future__ import annotations

import polars as pl

from reports.charts.natural import natural_charts
from reports.page.figure import Figure, Section, table
from reports.page.numbers import count, p_value, percent, plural, quantity, share, verb
from reports.page.shown_natural import UNROUTED, ShownNatural
from sim.ceiling_points import ceiling_points

ID, TITLE, SHORT = "natural", "From the ceiling to accuracy", "Accuracy"


def natural_section(shown: ShownNatural | None) -> Section:
    """Accuracy over hazard times execution gap, and over hazard times the age of the evidence."""
    if shown is None or shown.run.log is None:
        return Section(ID, TITLE, SHORT, "Not shown: there is no run of a natural stream.")
    alone = shown.run.decisions.filter(pl.col("router") == UNROUTED)
    # Without routing nobody is called: every judge and k gives the same decisions.
    decisions = alone.unique("decision", maintain_order=True)
    points = ceiling_points(shown.run.log, decisions)
    rejected = int(points["rejected"].sum())
    stale = shown.run.log.filter(pl.col("first_change") <= pl.col("decided")).height
    return Section(
        ID,
        TITLE,
        SHORT,
        _lead(points, decisions, shown.origin),
        [
            Figure(
                id="natural-panels",
                drawings=natural_charts(points),
                says=(
                    "Line: the ceiling, exp(−x). Left, over hazard times execution gap: filled "
                    "dots are decisions still valid when made, open dots all of them, which their "
                    f"freshness gap keeps below ({count(stale)} were stale when made); dashed, "
                    "what is predicted of these. Right, over hazard times the age of the evidence "
                    "at action, all lie on the line. A bin stands where exp(−x) equals the mean "
                    "over its decisions. Exact 99 % limits; of "
                    f"{plural(points.height, 'bin')} {verb(rejected, 'is', 'are')} rejected."
                ),
                tables=[
                    table(
                        points,
                        "Accuracy without routing, in bins",
                        {
                            "panel": ("over", str),
                            "group": ("decisions", str),
                            "x": ("mean hazard × time", quantity),
                            "trials": ("trials", count),
                            "ceiling": ("exp(−x), mean", share),
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


def _lead(points: pl.DataFrame, decisions: pl.DataFrame, origin: str) -> str:
    aged = points.filter(pl.col("panel") == "evidence age")
    right = float(decisions["right"].to_numpy().mean())
    predicted = float((aged["predicted"] * aged["decisions"]).sum()) / decisions.height
    return (
        f"In {origin}, {percent(right)} of {plural(decisions.height, 'decision')} were right "
        "without routing, run through the ledger on the simulated clock; the survival of the facts "
        f"they rest on predicts {percent(predicted)}."
    )
