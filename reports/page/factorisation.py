"""The section on the factorisation: accuracy predicted from its five rates, and measured."""

from __future__ import annotations

import polars as pl

from reports.charts.factorisation import factorisation_charts
from reports.page.figure import Figure, Section, table
from reports.page.numbers import count, p_value, plural, quantity, share, verb
from sim.verification import Verification

ID, TITLE, SHORT = "factorisation", "Where accuracy comes from", "Factorisation"


def factorisation_section(found: Verification | None) -> Section:
    """Measured against predicted accuracy over judges, hazards, gaps and recalls."""
    if found is None:
        return Section(ID, TITLE, SHORT, "The claim factorisation was not verified in this run.")
    points = found.outcome.cells.filter(pl.col("quantity") == "accuracy")
    missed = points.filter(~pl.col("predicted").is_between(pl.col("low"), pl.col("high"))).height
    rejected = int(points["rejected"].sum())
    farthest = float((points["measured"] - points["predicted"]).abs().max())  # type: ignore[arg-type]
    return Section(
        ID,
        TITLE,
        SHORT,
        (
            f"Over {plural(points['judge'].n_unique(), 'simulated judge')} and "
            f"{plural(points.height, 'cell')}, measured accuracy is nowhere farther than "
            f"{share(farthest)} from what the share of decisions that should change, the routing "
            "recall and the judge's three rates predict."
        ),
        [
            Figure(
                id="factorisation-diagonal",
                drawings=factorisation_charts(points),
                says=(
                    "Line: measured equals predicted. Dots: "
                    f"{plural(found.outcome.decisions, 'decision')} each by a simulated judge, "
                    f"with exact 99 % limits. {count(missed)} of {plural(points.height, 'dot')} "
                    "lie so far off that their limits miss the line, where chance alone would "
                    f"give about {points.height / 100:.0f}; over the whole grid "
                    f"{verb(rejected, 'is', 'are')} rejected."
                ),
                tables=[
                    table(
                        points,
                        "Predicted and measured accuracy",
                        {
                            "judge": ("simulated judge", str),
                            "hazard": ("changes per hour", quantity),
                            "gap": ("execution gap, h", quantity),
                            "recall": ("recall among recoverable", quantity),
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
