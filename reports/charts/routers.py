"""Accuracy by router: a dot with its limits, beside what comes without routing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports.charts.drawing import Drawing, draw
from reports.charts.layers import QUARTERS, dots, limits
from reports.charts.look import INK, LINE

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

_LABELS = 150
"""Room for a router's name."""


def router_accuracy(rows: pl.DataFrame, *, standing: float, title: str) -> Drawing:
    """One judge's accuracy over routers, in the frame's order.

    `rows` has the columns router, accuracy, accuracy_low, accuracy_high and decisions. The line is
    `standing`, the share of decisions that should stand: what fresh evidence alone gives.
    """
    import altair as alt
    import polars as pl

    scale = alt.Scale(domain=[0, 1])

    def x(column: str) -> alt.X:
        axis = alt.Axis(values=list(QUARTERS), format=".0%", grid=True)
        return alt.X(f"{column}:Q", title="accuracy", scale=scale, axis=axis)

    y = alt.Y("router:N", title=None, sort=None, axis=alt.Axis(grid=False, labelLimit=_LABELS))
    line = alt.Chart(pl.DataFrame({"standing": [standing]})).mark_rule(color=INK, strokeWidth=LINE)
    tooltip = [
        alt.Tooltip("router:N"),
        *(
            alt.Tooltip(f"{column}:Q", title=column.replace("_", " "), format=".1%")
            for column in ("accuracy", "accuracy_low", "accuracy_high")
        ),
        alt.Tooltip("decisions:Q", format=","),
    ]
    return draw(
        line.encode(x=x("standing")),
        limits(rows).encode(x=x("accuracy_low"), x2="accuracy_high", y=y),
        dots(rows).encode(x=x("accuracy"), y=y, tooltip=tooltip),
        title=title,
        name=f"Accuracy by router with exact 95 % limits; {title}.",
    )
