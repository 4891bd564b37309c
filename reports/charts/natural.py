"""A natural stream without routing: accuracy against hazard times time, on the curve exp(-x)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.charts.drawing import Drawing, draw
from reports.charts.layers import limits, measured, share, theory
from reports.charts.look import LINE, MEASURED, PAPER

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

_STEPS = 40
_PANELS = {
    "execution gap": "λ × execution gap",
    "evidence age": "λ × age of the evidence at action",
}
_TOOLTIP = {"group": "decisions", "trials": "trials"}


def natural_charts(points: pl.DataFrame) -> list[Drawing]:
    """One drawing a panel of `sim.ceiling_points.ceiling_points`.

    A bin stands where exp(-x) is the mean of its decisions': on the curve if they all survive as
    it says. Decisions valid when made are filled dots, all decisions open ones where both are
    drawn, with a dashed line for what is predicted of them.
    """
    import polars as pl

    placed = points.with_columns(at=-pl.col("ceiling").log())
    longest = float(placed["at"].max()) * 1.05  # type: ignore[arg-type]
    return [_panel(placed.filter(pl.col("panel") == panel), panel, longest) for panel in _PANELS]


def _panel(points: pl.DataFrame, panel: str, longest: float) -> Drawing:
    import altair as alt
    import polars as pl

    steps = longest * np.linspace(0.0, 1.0, _STEPS + 1)
    curve = pl.DataFrame({"at": steps, "survival": np.exp(-steps), "line": "ceiling"})
    scale = alt.Scale(domain=[0, longest], nice=False)
    x = alt.X("at:Q", title=_PANELS[panel], scale=scale, axis=alt.Axis(tickCount=6))
    layers = [theory(curve, x, share("survival"), by="line")]
    on_curve = points
    if points["group"].n_unique() > 1:
        every = points.filter(pl.col("group") == "all")
        on_curve = points.filter(pl.col("group") != "all")
        layers += [
            theory(every, x, share("predicted"), by="group", dashed=True),
            limits(every, dense=True).encode(x=x, y=share("low"), y2="high"),
            _open_dots(every).encode(x=x, y=share("measured")),
        ]
    return draw(
        *layers,
        *measured(on_curve, x, share, tooltip=_TOOLTIP),
        title=f"Over the {panel}",
        name=f"Share of decisions right without routing over {_PANELS[panel]}, and exp(-x).",
    )


def _open_dots(rows: pl.DataFrame) -> alt.Chart:
    import altair as alt

    marks: alt.Chart = alt.Chart(rows).mark_point(
        filled=True, fill=PAPER, stroke=MEASURED, strokeWidth=LINE, size=28, opacity=1.0
    )
    return marks
