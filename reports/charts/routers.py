"""Charts over routers: accuracy, reach by kind of reference, switches against recall, exposure.

A router has one colour everywhere. Around the time filter it keeps its colour, as an open dot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reports.charts.drawing import Drawing, draw
from reports.charts.layers import QUARTERS, labels, spread
from reports.charts.look import INK, LINE, PAPER, ROUTERS, SOFT

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

_LABELS = 170
"""Room for a router's name."""
_SIZE = 45
_APART = 0.07
"""Least distance between two labels, in parts of the height."""
_TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Of an axis of deliveries, which is linear near 0 and logarithmic beyond."""


def router_accuracy(rows: pl.DataFrame, *, standing: float, title: str) -> Drawing:
    """One judge's accuracy over routers, in the frame's order.

    `rows` has the columns router, shown, accuracy, accuracy_low, accuracy_high, decisions and paper
    (null where the paper has no figure). The line is `standing`, the share of decisions that should
    stand: what fresh evidence alone gives.
    """
    import altair as alt
    import polars as pl

    y = _names(rows)
    tooltip = [alt.Tooltip("shown:N", title="router"), *_percents("accuracy")]
    line = alt.Chart(pl.DataFrame({"standing": [standing]})).mark_rule(color=INK, strokeWidth=LINE)
    return draw(
        line.encode(x=_share_x("standing", "accuracy")),
        _paper(rows).encode(x=_share_x("paper", "accuracy"), y=y),
        _limits(rows).encode(x=_share_x("accuracy_low", "accuracy"), x2="accuracy_high", y=y),
        _dots(rows).encode(x=_share_x("accuracy", "accuracy"), y=y, tooltip=tooltip),
        title=title,
        name=f"Accuracy by router with exact 95 % limits; {title}.",
    )


def router_reach(rows: pl.DataFrame, *, title: str) -> Drawing:
    """How many changing decisions of one kind of reference each router brings their news to.

    `rows` has the columns router, shown, recall, recall_low, recall_high, decisions and paper.
    """
    import altair as alt

    y = _names(rows)
    tooltip = [alt.Tooltip("shown:N", title="router"), *_percents("recall")]
    return draw(
        _paper(rows).encode(x=_share_x("paper", "recall"), y=y),
        _limits(rows).encode(x=_share_x("recall_low", "recall"), x2="recall_high", y=y),
        _dots(rows).encode(x=_share_x("recall", "recall"), y=y, tooltip=tooltip),
        title=title,
        name=f"Routing recall by router with exact 95 % limits; {title}.",
    )


def switches_by_recall(rows: pl.DataFrame, lines: pl.DataFrame) -> Drawing:
    """Needed switches made over routing recall: a dot a router and judge, a line a judge.

    `rows` has the columns router, shown, judge, recall, made, made_low and made_high; `lines` has
    judge, recall and made: rho S + (1 - rho) L with the judge's rates over all routers.
    """
    import altair as alt
    import polars as pl

    x, y = _share_x("recall", "routing recall"), _share_y("made", "needed switches made")
    ends = lines.filter(lines["recall"] == 1).rename({"judge": "label"})
    ends = ends.with_columns(at=pl.Series(spread(ends["made"].to_list(), apart=_APART)))
    theory = alt.Chart(lines).mark_line(color=INK, strokeWidth=LINE)
    return draw(
        theory.encode(x=x, y=y, detail="judge:N"),
        labels(ends, x, _share_y("at", "needed switches made")),
        _limits(rows).encode(x=x, y=_share_y("made_low", "needed switches made"), y2="made_high"),
        _dots(rows).encode(x=x, y=y, tooltip=_tooltip("recall", "made")),
        title="Switches made by what was delivered",
        name="Share of needed switches made over routing recall, by router and judge.",
    )


def kept_by_delivered(rows: pl.DataFrame) -> Drawing:
    """Standing decisions kept over deliveries a decision: a dot a router and judge.

    `rows` has the columns router, shown, judge, delivered, keep, keep_low and keep_high.
    """
    import altair as alt

    axis = alt.Axis(values=list(_TICKS), format=",d", grid=False)
    scale = alt.Scale(type="symlog", nice=False, domainMin=0)
    x = alt.X("delivered:Q", title="deliveries a decision", scale=scale, axis=axis)
    y = _share_y("keep", "decisions kept")
    joined = alt.Chart(rows).mark_line(color=SOFT, strokeWidth=LINE, strokeDash=[2, 3])
    return draw(
        joined.encode(x=x, y=y, detail="judge:N", order="delivered:Q"),
        _limits(rows).encode(x=x, y=_share_y("keep_low", "decisions kept"), y2="keep_high"),
        _dots(rows).encode(x=x, y=y, tooltip=_tooltip("delivered", "keep")),
        title="Decisions kept by how much was delivered",
        name="Share of standing decisions kept over deliveries a decision, by router and judge.",
    )


def _names(rows: pl.DataFrame) -> alt.Y:
    import altair as alt

    axis = alt.Axis(grid=False, labelLimit=_LABELS)
    return alt.Y("shown:N", title=None, sort=rows["shown"].to_list(), axis=axis)


def _share_x(column: str, title: str) -> alt.X:
    import altair as alt

    axis = alt.Axis(values=list(QUARTERS), format=".0%", grid=True)
    return alt.X(f"{column}:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=axis)


def _share_y(column: str, title: str) -> alt.Y:
    import altair as alt

    axis = alt.Axis(values=list(QUARTERS), format=".0%")
    return alt.Y(f"{column}:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=axis)


def _percents(name: str) -> list[alt.Tooltip]:
    import altair as alt

    columns = (name, f"{name}_low", f"{name}_high")
    shares = [alt.Tooltip(f"{c}:Q", title=c.replace("_", " "), format=".1%") for c in columns]
    return [*shares, alt.Tooltip("decisions:Q", format=",")]


def _tooltip(x: str, y: str) -> list[alt.Tooltip]:
    import altair as alt

    return [
        alt.Tooltip("shown:N", title="router"),
        alt.Tooltip("judge:N"),
        alt.Tooltip(f"{x}:Q", format=".3~g"),
        alt.Tooltip(f"{y}:Q", format=".1%"),
    ]


def _colour(names: Sequence[str]) -> alt.Scale:
    """A scale from routers to their colours."""
    import altair as alt

    domain = list(dict.fromkeys(names))
    known = [ROUTERS.get(name.partition("+")[0], INK) for name in domain]
    return alt.Scale(domain=domain, range=known)


def _limits(rows: pl.DataFrame) -> alt.Chart:
    import altair as alt

    colour = alt.Color("router:N", scale=_colour(rows["router"].to_list()), legend=None)
    marks: alt.Chart = alt.Chart(rows).mark_rule(strokeWidth=LINE).encode(color=colour)
    return marks


def _dots(rows: pl.DataFrame) -> alt.Chart:
    import altair as alt

    scale = _colour(rows["router"].to_list())
    filtered = "indexof(datum.router, '+') >= 0"
    marks: alt.Chart = (
        alt.Chart(rows)
        .mark_point(filled=True, size=_SIZE, opacity=1.0, strokeWidth=LINE)
        .encode(
            stroke=alt.Stroke("router:N", scale=scale, legend=None),
            fill=alt.condition(
                filtered, alt.value(PAPER), alt.Fill("router:N", scale=scale, legend=None)
            ),
        )
    )
    return marks


def _paper(rows: pl.DataFrame) -> alt.Chart:
    """A grey tick where the paper's figure lies."""
    import altair as alt

    there = rows.filter(rows["paper"].is_not_null())
    marks: alt.Chart = alt.Chart(there).mark_tick(color=SOFT, thickness=2, size=14, opacity=0.7)
    return marks
