"""A chart as the page takes it: an SVG to show at once and a Vega specification to bring it alive.

Both come from one compilation, so that nothing moves when the second takes the first's place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reports.charts.look import CONFIG, HEIGHT, PADDING, WIDTH

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True)
class Drawing:
    """One chart, compiled."""

    title: str
    """A few words above it; empty where it stands alone."""
    name: str
    """Its accessible name: what is drawn against what."""
    svg: str
    """The chart as SVG, without identifiers that another drawing could share."""
    vega: dict[str, Any]
    """The chart as a Vega specification, data included."""


def draw(*layers: alt.Chart, name: str, title: str = "") -> Drawing:
    """Compile layers, each drawn over those before it, in the common look."""
    import altair as alt
    import vl_convert

    chart = alt.layer(*layers).resolve_scale(color="independent")
    fitted = alt.AutoSizeParams(type="fit", contains="padding")
    specification = chart.properties(width=WIDTH, height=HEIGHT, autosize=fitted).to_dict()
    specification |= {"background": None, "config": CONFIG, "padding": PADDING}
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    vega = vl_convert.vegalite_to_vega(specification, vl_version=version)
    return Drawing(title, name, vl_convert.vega_to_svg(vega), vega)
