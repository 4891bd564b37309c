"""The page, put together: what was verified, drawn and fitted goes into the template."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from reports.page.provenance import Provenance
    from reports.page.shown_fit import ShownFit
    from sim.verification import Verification

SECTIONS = 4
"""How often `build_page` reports progress."""


def build_page(
    verifications: Sequence[Verification],
    *,
    fit: ShownFit | None,
    provenance: Provenance,
    sweep: pl.DataFrame | None = None,
    advance: Callable[[int], object] = lambda _: None,
) -> str:
    """One self-contained HTML document: no request leaves it, and it needs no script to be read.

    A section whose claim is not among `verifications`, or whose fit is None, says so. `sweep` (see
    `reports.sweep_file`) takes the place of the claim's own grid in the section on the ceiling.
    `advance` is called with 1 after each of `SECTIONS` sections.
    """
    # Altair, Jinja and the rest take half a second: only who builds a page loads them.
    from reports.page.rendering import render

    return render(verifications, fit, sweep, provenance, advance)
