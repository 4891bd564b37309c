"""The layers that charts are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from reports.charts.look import FONT, INK, LINE, MEASURED, PAPER, REJECTED, SOFT

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

_HOURS = (0.1, 0.25, 0.5, 1, 2, 6, 12, 24, 48, 72, 96, 168, 336, 672)
_MOST_TICKS = 6
_FIGURES = ("predicted", "measured", "low", "high")
QUARTERS = (0, 0.25, 0.5, 0.75, 1)
"""Where an axis of shares is ticked."""


def hours(column: str, title: str, longest: float) -> alt.X:
    """An axis of hours from 0 to `longest`, ticked at half days, days or weeks."""
    import altair as alt

    step = next((step for step in _HOURS if longest / step <= _MOST_TICKS), longest / _MOST_TICKS)
    ticks = [step * tick for tick in range(int(longest / step) + 1)]
    scale = alt.Scale(domain=[0, longest], nice=False)
    return alt.X(f"{column}:Q", title=title, scale=scale, axis=alt.Axis(values=ticks))


def share(column: str, *, title: str | None = None) -> alt.Y:
    """An upright axis of shares from 0 to 1."""
    import altair as alt

    axis = alt.Axis(values=list(QUARTERS), format=".2~f")
    return alt.Y(f"{column}:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=axis)


def theory(lines: pl.DataFrame, x: alt.X, y: alt.Y, *, by: str, dashed: bool = False) -> alt.Chart:
    """A thin line in ink for each value of `by`; dashed and softer, a bound."""
    import altair as alt

    chart = alt.Chart(lines)
    if dashed:
        chart = chart.mark_line(color=SOFT, strokeWidth=LINE, strokeDash=[2, 3])
    else:
        chart = chart.mark_line(color=INK, strokeWidth=LINE, interpolate="monotone")
    encoded: alt.Chart = chart.encode(x=x, y=y, detail=f"{by}:N")
    return encoded


def measured(
    points: pl.DataFrame,
    x: alt.X,
    y: Callable[[str], alt.Y],
    *,
    tooltip: Mapping[str, str],
    at: tuple[str, str, str] = ("measured", "low", "high"),
    dense: bool = False,
) -> tuple[alt.Chart, alt.Chart]:
    """Limits and a dot for each row; what was `rejected` is a cross in red.

    `y` makes the axis that a column lies on; `at` names the columns that are drawn as dot and
    limits. `tooltip` maps the columns that tell a row apart to what they are called. `dense`
    draws lighter, for hundreds of rows that overlap.
    """
    import altair as alt

    verdict = alt.Scale(domain=[False, True], range=[MEASURED, REJECTED])
    colour = alt.Color("rejected:N", scale=verdict, legend=None)
    form = alt.Scale(domain=[False, True], range=["circle", "cross"])
    place, low, high = at
    return (
        limits(points, dense=dense).encode(x=x, y=y(low), y2=high, color=colour),
        dots(points, dense=dense).encode(
            x=x,
            y=y(place),
            color=colour,
            shape=alt.Shape("rejected:N", scale=form, legend=None),
            tooltip=[
                *(alt.Tooltip(name, title=title) for name, title in tooltip.items()),
                *(alt.Tooltip(f"{name}:Q", format=".4f") for name in _FIGURES),
            ],
        ),
    )


def limits(rows: pl.DataFrame, *, dense: bool = False) -> alt.Chart:
    """A thin line for each row's limits, to be placed."""
    import altair as alt

    opacity = 0.3 if dense else 1.0
    marks: alt.Chart = alt.Chart(rows).mark_rule(color=MEASURED, strokeWidth=LINE, opacity=opacity)
    return marks


def dots(rows: pl.DataFrame, *, dense: bool = False) -> alt.Chart:
    """A dot for each row, to be placed; its edge sets it off from what it lies on."""
    import altair as alt

    size, edge = (10, 0.0) if dense else (28, 0.8)
    marks: alt.Chart = alt.Chart(rows).mark_point(
        color=MEASURED, filled=True, size=size, opacity=1.0, stroke=PAPER, strokeWidth=edge
    )
    return marks


def labels(frame: pl.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    """The column `label` written to the right of each row's place."""
    import altair as alt

    text = alt.Chart(frame).mark_text(align="left", baseline="middle", dx=7, fontSize=FONT)
    encoded: alt.Chart = text.encode(x=x, y=y, text="label:N")
    return encoded


def spread(heights: list[float], *, apart: float, top: float = 1.0) -> list[float]:
    """Heights moved so that labels do not overlap: in the same order, each `apart` from the next.

    A sweep from the lowest pushes up, one from `top` pushes back down what went over it.
    """
    order = sorted(range(len(heights)), key=heights.__getitem__)
    moved = list(heights)
    for below, above in pairwise(order):
        moved[above] = max(moved[above], moved[below] + apart)
    limit = top
    for index in reversed(order):
        moved[index] = min(moved[index], limit)
        limit = moved[index] - apart
    return moved
