"""What a page is made of, gathered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from reports.page.shown_fit import ShownFit
    from reports.page.shown_natural import ShownNatural
    from reports.run_folder import SavedRun
    from reports.stories import Stories
    from sim.verification import Verification


@dataclass(frozen=True)
class Contents:
    """The results that a page shows."""

    verifications: Sequence[Verification]
    fit: ShownFit | None
    sweep: pl.DataFrame | None
    natural: ShownNatural | None
    runs: Sequence[SavedRun]
    """Each stream of each has a section."""
    compared: tuple[SavedRun, SavedRun] | None
    """A run before and after."""
    stories: Stories | str | None
    """Decisions told one by one, or why they are not."""

    @property
    def every_run(self) -> list[SavedRun]:
        """The runs shown, in a section of their own or beside another."""
        return [*self.runs, *(self.compared or ())]
