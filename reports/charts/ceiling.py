"""The ceiling: how a decision's chance of still being right falls with its execution gap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.charts.drawing import Drawing, draw
from reports.charts.layers import hours, labels, measured, share, spread, theory
from theory import Constant

if TYPE_CHECKING:
    import polars as pl

_STEPS = 40
"""Pieces of a theory line, the shorter the nearer to the decision, where it is steepest."""
_APART = 0.065
"""Least distance between two labels, in parts of the height."""


def ceiling_charts(points: pl.DataFrame) -> list[Drawing]:
    """One drawing a freshness gap: survival over execution gap by hazard, and what was measured.

    `points` has the columns hazard, gap, freshness, predicted, measured, low, high and rejected.
    Lines are exp(-hazard (freshness + gap)); dashed ones exp(-hazard gap), where they differ.
    """
    longest = float(points["gap"].max())  # type: ignore[arg-type]
    return [
        _facet(rows, float(freshness), longest)
        for (freshness,), rows in sorted(points.partition_by("freshness", as_dict=True).items())
    ]


def _facet(points: pl.DataFrame, freshness: float, longest: float) -> Drawing:
    import polars as pl

    hazards = points["hazard"].unique().sort().to_list()
    gaps = longest * np.linspace(0.0, 1.0, _STEPS + 1) ** 2
    lines = pl.concat(
        pl.DataFrame(
            {
                "hazard": np.full(gaps.shape, rate),
                "gap": gaps,
                "survival": np.asarray(Constant(rate).survival(-freshness, gaps)),
                "ceiling": np.asarray(Constant(rate).survival(0.0, gaps)),
            }
        )
        for rate in hazards
    )
    ends = lines.group_by("hazard", maintain_order=True).last()
    ends = ends.with_columns(
        label=pl.Series([f"{rate:.3g}/h" for rate in hazards]),
        at=pl.Series(spread(ends["survival"].to_list(), apart=_APART)),
    )
    x = hours("gap", "execution gap, hours", longest)
    layers = [theory(lines, x, share("survival"), by="hazard")]
    if freshness > 0:
        layers.insert(0, theory(lines, x, share("ceiling"), by="hazard", dashed=True))
    when = f"verified {freshness:g} h before the decision" if freshness else "verified when decided"
    tooltip = {"hazard": "changes per hour", "gap": "execution gap, h"}
    return draw(
        *layers,
        *measured(points, x, share, tooltip=tooltip),
        labels(ends, x, share("at")),
        title=when.capitalize(),
        name=f"Share of decisions still right over the execution gap, by hazard; {when}.",
    )
