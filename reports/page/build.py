"""The page, put together: what was verified, drawn and fitted goes into the template."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from reports.page.contents import Contents

if TYPE_CHECKING:
    import polars as pl

    from reports.page.provenance import Provenance
    from reports.page.shown_fit import ShownFit
    from reports.page.shown_natural import ShownNatural
    from reports.run_folder import SavedRun
    from reports.stories import Stories
    from sim.verification import Verification

SECTIONS = 6
"""Sections of every page; each stream of a run has one more, and so has a comparison."""


def build_page(
    verifications: Sequence[Verification],
    *,
    fit: ShownFit | None,
    provenance: Provenance,
    sweep: pl.DataFrame | None = None,
    natural: ShownNatural | None = None,
    runs: Sequence[SavedRun] = (),
    compared: tuple[SavedRun, SavedRun] | None = None,
    stories: Stories | str | None = None,
    advance: Callable[[int], object] = lambda _: None,
) -> str:
    """One self-contained HTML document: no request leaves it, and it needs no script to be read.

    A section whose claim is not among `verifications`, or whose fit or natural run is None, says
    so. `sweep` (see `reports.sweep_file`) takes the place of the claim's own grid in the section on
    the ceiling. Each stream of each of `runs` has a section of its own, and so has what changed
    between two runs, `compared`. `stories` are what `reports.stories.tell` tells of a run.
    `advance` is called with 1 after each section.
    """
    # Altair, Jinja and the rest take half a second: only who builds a page loads them.
    from reports.page.rendering import render

    contents = Contents(verifications, fit, sweep, natural, runs, compared, stories)
    return render(contents, provenance, advance)
