"""A run of a natural stream without routing, as the page takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reports.run_folder import SavedRun
    from sim.runs import Run

UNROUTED = "none"
"""The router under which nothing reaches a decision."""


@dataclass(frozen=True)
class ShownNatural:
    """A run, and where it comes from."""

    run: Run
    """With a `log`, and episodes of the router none."""
    origin: str
    """In words, as in "a simulated stream" or "the run x"."""


def natural_among(runs: Sequence[SavedRun]) -> ShownNatural | None:
    """The first of these runs that a natural stream went through without routing."""
    for saved in runs:
        if saved.run.log is not None and UNROUTED in saved.run.decisions["router"]:
            return ShownNatural(saved.run, f"the run {saved.name}")
    return None
