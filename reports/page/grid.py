"""The size of what a claim was held against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sim.verification import Verification


class Size(NamedTuple):
    """How much was measured."""

    cells: int
    """Points of the grid."""
    decisions: int
    """Simulated decisions over all cells."""
    rows: int
    """Measured values."""
    rejected: int
    """Of these, how many left what theory allows."""


def size(found: Verification) -> Size:
    """The size of one claim's experiment."""
    rows = found.outcome.cells
    cells = rows.select(*found.experiment.axes).n_unique()
    return Size(cells, cells * found.outcome.decisions, rows.height, int(rows["rejected"].sum()))


def total(verifications: Sequence[Verification]) -> Size:
    """The size of several together."""
    return Size(*(sum(numbers) for numbers in zip(*map(size, verifications), strict=True)))
