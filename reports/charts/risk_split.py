"""Where the risk lies: the shares of the first change over the execution gap, stacked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.charts.drawing import Drawing, draw
from reports.charts.layers import hours, labels, measured, share, spread, theory
from reports.charts.look import SHARES
from theory import Constant, Timeline, risk_split
from theory.inference import binomial_limits

if TYPE_CHECKING:
    import polars as pl

_STEPS = 48
"""Pieces of a theory line."""
_SHORTEST = 1e-6
"""Where a theory line starts, in parts of the longest gap: a deadline lies after its decision."""
_APART = 0.07
"""Least distance between two labels, in parts of the height."""
_BOUNDARIES = ("safe", "safe + recoverable", "safe + recoverable + late")


def risk_split_charts(points: pl.DataFrame) -> list[Drawing]:
    """One drawing a revision window: theory as areas, what was measured as dots on their borders.

    `points` has the columns hazard, freshness (each with one value), gap, window, quantity (the
    four shares), trials, predicted, measured and rejected. A dot counts all decisions in the
    shares below it, with exact 99 % limits of that count.
    """
    longest = float(points["gap"].max())  # type: ignore[arg-type]
    return [
        _facet(rows, float(window), longest)
        for (window,), rows in sorted(points.partition_by("window", as_dict=True).items())
    ]


def _facet(points: pl.DataFrame, window: float, longest: float) -> Drawing:
    import altair as alt
    import polars as pl

    hazard, freshness = float(points["hazard"][0]), float(points["freshness"][0])
    gaps = longest * np.maximum(np.linspace(0.0, 1.0, _STEPS + 1), _SHORTEST)
    timeline = Timeline.from_gaps(gaps, freshness_gap=freshness, window=window * gaps)
    split = risk_split(Constant(hazard), timeline)._asdict()
    shares = np.broadcast_arrays(*(split[name] for name in SHARES))
    tops = np.cumsum(shares, axis=0)
    bottoms = np.concatenate([np.zeros((1, gaps.size)), tops[:-1]])
    areas = pl.concat(
        pl.DataFrame({"gap": gaps, "share": [name] * gaps.size, "bottom": low, "top": high})
        for name, low, high in zip(SHARES, bottoms, tops, strict=True)
    )
    middles = ((tops[:, -1] + bottoms[:, -1]) / 2).tolist()
    ends = pl.DataFrame(
        {"gap": [longest] * len(SHARES), "label": list(SHARES), "at": spread(middles, apart=_APART)}
    )
    x = hours("gap", "execution gap, hours", longest)
    colours = alt.Scale(domain=list(SHARES), range=list(SHARES.values()))
    stack = (
        alt.Chart(areas)
        .mark_area()
        .encode(
            x=x,
            y=share("bottom"),
            y2="top",
            color=alt.Color("share:N", scale=colours, legend=None),
        )
    )
    borders = areas.filter(pl.col("share") != "stale")
    tooltip = {"border": "share", "gap": "execution gap, h"}
    return draw(
        stack,
        theory(borders, x, share("top"), by="share"),
        *measured(_borders(points), x, share, tooltip=tooltip),
        labels(ends, x, share("at")),
        title=f"Deadline at {100 * window:g} % of the gap",
        name=(
            "Shares of decisions that are safe, recoverable by routing, late or stale, stacked "
            f"over the execution gap; deadline at {100 * window:g} % of the gap."
        ),
    )


def _borders(points: pl.DataFrame) -> pl.DataFrame:
    """The measured and predicted height of each border, from the shares below it."""
    import polars as pl

    wide = points.with_columns(count=(pl.col("measured") * pl.col("trials")).round()).pivot(
        "quantity", index=["gap", "trials"], values=["count", "predicted", "rejected"]
    )
    frames = []
    for name in _BOUNDARIES:
        below = name.split(" + ")
        counts = wide.select(pl.sum_horizontal(f"count_{part}" for part in below)).to_series()
        low, high = binomial_limits(counts.to_numpy(), wide["trials"].to_numpy(), confidence=0.99)
        frames.append(
            wide.select(
                "gap",
                border=pl.lit(name),
                predicted=pl.sum_horizontal(f"predicted_{part}" for part in below),
                measured=counts / pl.col("trials"),
                low=pl.Series(low),
                high=pl.Series(high),
                rejected=pl.any_horizontal(f"rejected_{part}" for part in below),
            )
        )
    return pl.concat(frames)
