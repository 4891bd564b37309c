"""The look that all charts share: one size, one type scale, colours by meaning.

Colours are CSS variables of the page, so that dark mode needs no second drawing; each has a
fallback for a drawing that is taken out of its page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WIDTH, HEIGHT = 440, 270
"""Every drawing's size in its own units; the page scales it to its column."""

PADDING = {"left": 2, "right": 14, "top": 8, "bottom": 2}
"""Room for text whose font is wider where the page is read than where it was laid out."""

INK = "currentColor"
"""Theory: lines and what is written on them."""
SOFT = "var(--soft, #59606a)"
"""Axes and their labels."""
FAINT = "var(--faint, #e4e6ea)"
"""Grid lines."""
PAPER = "var(--card, #ffffff)"
"""What charts are drawn on."""
MEASURED = "var(--measured, #0b5fa5)"
"""Measurements: dots and their limits."""
REJECTED = "var(--rejected, #b3261e)"
"""Measurements that their prediction did not survive."""
SHARES: Mapping[str, str] = {
    "safe": "var(--safe, #bfe3d4)",
    "recoverable": "var(--recoverable, #8cc4ea)",
    "late": "var(--late, #f3c98b)",
    "stale": "var(--stale, #d9d9de)",
}
"""Where the first change falls, from the bottom of the stack up."""

ROUTERS: Mapping[str, str] = {
    "none": "var(--soft, #59606a)",
    "name": "var(--r-name, #b06a00)",
    "bm25-text": "var(--r-bm25-text, #4a9bd4)",
    "bm25-dossier": "var(--r-bm25-dossier, #0b5fa5)",
    "bm25-watch": "var(--r-bm25-watch, #5b3fb5)",
    "dense-text": "var(--r-dense-text, #2fae8a)",
    "dense-dossier": "var(--r-dense-dossier, #0a7a55)",
    "dense-watch": "var(--r-dense-watch, #7a8f1e)",
    "dense-watch-best": "var(--r-dense-watch-best, #52630c)",
    "broadcast": "var(--r-broadcast, #d1495b)",
    "related": "var(--r-related, #b04fa0)",
    "decisive": "var(--r-decisive, #7d2f72)",
}
"""One colour a router, on every chart; told apart by lightness too, for those who see no hue."""

LINE = 1.2
"""Width of a theory line."""
FONT = 12
"""Size of all text on a chart."""

CONFIG: Mapping[str, Any] = {
    "aria": False,  # the drawing as a whole has a name, its marks need none
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "domain": False,
        "ticks": False,
        "gridColor": FAINT,
        "labelColor": SOFT,
        "labelFontSize": FONT,
        "labelPadding": 6,
        "titleColor": SOFT,
        "titleFontSize": FONT,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "axisX": {"grid": False, "labelFlush": False},
    "text": {"color": INK, "fontSize": FONT},
}
"""Vega-Lite's configuration for every chart."""
