"""A fit as the page takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reports.fit_file import SavedFit


@dataclass(frozen=True)
class ShownFit:
    """A fit, and whether its log is real."""

    saved: SavedFit
    """Rates, tests, hazard by age, and the log they come from."""
    simulated: float | None = None
    """The hazard of every fact in a simulated log; None for a log of real changes."""
