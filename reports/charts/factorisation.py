"""Accuracy as the factorisation predicts it against accuracy as it was measured."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from reports.charts.drawing import Drawing, draw
from reports.charts.layers import QUARTERS, measured, share, theory

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

_TOOLTIP = {
    "judge": "simulated judge",
    "hazard": "changes per hour",
    "gap": "execution gap, h",
    "recall": "recall among recoverable",
}


def factorisation_charts(points: pl.DataFrame) -> list[Drawing]:
    """Measured accuracy against predicted, and the difference of the two magnified.

    `points` has the columns judge, hazard, gap, recall, predicted, measured, low, high, rejected.
    """
    return [_diagonal(points), _differences(points)]


def _diagonal(points: pl.DataFrame) -> Drawing:
    import polars as pl

    line = pl.DataFrame({"predicted": [0.0, 1.0], "equal": [0.0, 1.0], "line": ["", ""]})
    x, y = _predicted(), partial(share, title="measured accuracy")
    return draw(
        theory(line, x, y("equal"), by="line"),
        *measured(points, x, y, tooltip=_TOOLTIP, dense=True),
        title="Measured against predicted",
        name="Measured accuracy against the accuracy that the factorisation predicts.",
    )


def _differences(points: pl.DataFrame) -> Drawing:
    import altair as alt
    import polars as pl

    line = pl.DataFrame({"predicted": [0.0, 1.0], "equal": [0.0, 0.0], "line": ["", ""]})
    differences = points.with_columns(
        (pl.col(name) - pl.col("predicted")).alias(f"{name}_less")
        for name in ("measured", "low", "high")
    )
    at = ("measured_less", "low_less", "high_less")

    def y(column: str) -> alt.Y:
        axis = alt.Axis(format="~g", tickCount=5)
        return alt.Y(f"{column}:Q", title="measured less predicted", axis=axis)

    x = _predicted()
    return draw(
        theory(line, x, y("equal"), by="line"),
        *measured(differences, x, y, tooltip=_TOOLTIP, at=at, dense=True),
        title="Their difference, magnified",
        name="Measured less predicted accuracy, with exact limits, over predicted accuracy.",
    )


def _predicted() -> alt.X:
    import altair as alt

    axis = alt.Axis(values=list(QUARTERS), format=".2~f")
    scale = alt.Scale(domain=[0, 1])
    return alt.X("predicted:Q", title="predicted accuracy", scale=scale, axis=axis)
