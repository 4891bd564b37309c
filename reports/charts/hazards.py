"""Fitted hazards: each fact's rate beside the pooled one, and the hazard by age."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reports.charts.drawing import Drawing, draw
from reports.charts.layers import dots, limits
from reports.charts.look import INK, LINE, MEASURED

if TYPE_CHECKING:
    import altair as alt

    from theory.estimate import AgeBin, Estimate, Rate

_NO_RATE = 0.25
"""Where a rate of 0 stands on a logarithmic axis, in parts of the smallest figure above 0."""
_RATE = "changes per hour"


def fact_hazards(pooled: Estimate, facts: Sequence[Estimate], *, line: float | None) -> Drawing:
    """Each fact's rate and the pooled one, with their limits, on a logarithmic axis.

    A single fact stands alone: it is all that was pooled. `line` is the constant hazard, > 0, that
    they are held against, if any. Rates must be known.
    """
    import altair as alt
    import polars as pl

    rows = pl.DataFrame({"fact": name, **_numbers(rate)} for name, rate in named(pooled, facts))
    figures = [*rows["rate"], *rows["low"], *rows["high"]]
    least = _NO_RATE * min(figure for figure in figures if figure > 0)
    rows = rows.with_columns(at=pl.col("rate").clip(least), start=pl.col("low").clip(least))
    scale = alt.Scale(type="log", nice=False, padding=12)
    axis = alt.Axis(grid=True, tickCount=4, format="~g")

    def x(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title=_RATE, scale=scale, axis=axis)

    y = alt.Y("fact:N", title=None, sort=None, axis=alt.Axis(grid=False, labelLimit=130))
    return draw(
        _line(line).encode(x=x("line")),
        limits(rows).encode(x=x("start"), x2="high", y=y),
        dots(rows).encode(x=x("at"), y=y, tooltip=_tooltip(alt.Tooltip("fact:N"))),
        title="By fact",
        name="Changes per hour of each fact and of all together, with exact 95 % limits.",
    )


def age_hazards(ages: Sequence[AgeBin], *, line: float | None) -> Drawing:
    """The hazard over a fact's age, in bins, against one constant hazard `line`, if any.

    Rates must be known. The last bin has no end; it is drawn as wide as the one before it.
    """
    import altair as alt
    import polars as pl

    width = ages[-1].start - ages[-2].start if len(ages) > 1 else 1.0
    last = ages[-1].start + width
    rows = pl.DataFrame(
        [
            {
                "start": age.start,
                "end": last if age.end is None else age.end,
                "ages": f"{age.start:.4g} h on"
                if age.end is None
                else f"{age.start:.4g} to {age.end:.4g} h",
                **_numbers(age),
            }
            for age in ages
        ]
    ).with_columns(middle=(pl.col("start") + pl.col("end")) / 2)

    def x(column: str) -> alt.X:
        scale = alt.Scale(domain=[0, last], nice=False)
        title = "hours since the last change"
        return alt.X(f"{column}:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6))

    def y(column: str) -> alt.Y:
        axis = alt.Axis(tickCount=5, format="~g")
        return alt.Y(f"{column}:Q", title=_RATE, axis=axis, scale=alt.Scale(zero=True))

    spans = alt.Chart(rows).mark_rule(color=MEASURED, strokeWidth=LINE, opacity=0.45)
    return draw(
        _line(line).encode(y=y("line")),
        spans.encode(x=x("start"), x2="end", y=y("rate")),
        limits(rows).encode(x=x("middle"), y=y("low"), y2="high"),
        dots(rows).encode(
            x=x("middle"), y=y("rate"), tooltip=_tooltip(alt.Tooltip("ages:N", title="age"))
        ),
        title="By age",
        name="Changes per hour over the time since a fact's last change, with exact 95 % limits.",
    )


def named(pooled: Estimate, facts: Sequence[Estimate]) -> list[tuple[str, Estimate]]:
    """What is shown by fact, each with its name; what is pooled comes first, if it is several."""
    several = [("all facts", pooled)] if len(facts) > 1 else []
    return several + [(fact.fact or "", fact) for fact in facts]


def _numbers(rate: Rate) -> dict[str, float | None]:
    return {name: getattr(rate, name) for name in ("rate", "low", "high", "changes", "exposure")}


def _line(rate: float | None) -> alt.Chart:
    import altair as alt
    import polars as pl

    rows = pl.DataFrame({"line": [] if rate is None else [rate]}, schema={"line": pl.Float64})
    marks: alt.Chart = alt.Chart(rows).mark_rule(color=INK, strokeWidth=LINE)
    return marks


def _tooltip(first: alt.Tooltip) -> list[alt.Tooltip]:
    import altair as alt

    return [
        first,
        alt.Tooltip("rate:Q", title=_RATE, format=".4~g"),
        alt.Tooltip("low:Q", format=".4~g"),
        alt.Tooltip("high:Q", format=".4~g"),
        alt.Tooltip("changes:Q", format=","),
        alt.Tooltip("exposure:Q", title="hours unchanged", format=",.1f"),
    ]
