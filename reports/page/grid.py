"""The size of what a claim was held against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sim.experiments import Experiment, Outcome
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


def size(experiment: Experiment, outcome: Outcome) -> Size:
    """The size of one experiment."""
    rows = outcome.cells
    cells = rows.select(*experiment.axes).n_unique()
    return Size(cells, cells * outcome.decisions, rows.height, int(rows["rejected"].sum()))


def total(verifications: Sequence[Verification]) -> Size:
    """The size of all experiments of several claims together."""
    sizes = [size(*played) for found in verifications for played in found.played]
    return Size(*(sum(numbers) for numbers in zip(*sizes, strict=True)))
