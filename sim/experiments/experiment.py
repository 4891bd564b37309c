"""What an experiment is: a claim's predictions on a grid, held against exact limits.

Every cell plays independent decisions out, each with facts and a window of its own. All p-values
of a grid go through Holm together, so that the chance of one false alarm in the whole family is at
most `FAMILY_ERROR`. The negative control puts the same measurements against predictions that are
wrong on purpose: for gaps that are `CONTROL_STRETCH` as long, unless the experiment says otherwise.
A grid that cannot tell those apart has shown nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl

from sim.cells import Parameters, Value, cell_rng
from sim.engines import Engine, EngineName
from sim.grid import grid
from theory.arrays import Floats
from theory.inference import (
    Side,
    binomial_limits,
    binomial_p_value,
    holm,
    paired_gain_limits,
    paired_gain_p_value,
)
from theory.mixed_counts import mixed_limits, mixed_p_value

DECISIONS = 20_000
"""Decisions a cell, unless an experiment needs more for its control to be rejected."""
FAMILY_ERROR = 0.01
"""Chance of any false alarm over a claim's whole grid."""
CONTROL_STRETCH = 1.05
"""The control's gaps, in parts of the true ones."""
_SIMPY_CELLS = 16
"""Cells of a grid that the SimPy world plays, at some 1,000 times the engine's cost each."""


class Count(NamedTuple):
    """A share measured on independent trials."""

    quantity: str
    successes: int
    trials: int
    side: Side = "two"


class PairedCount(NamedTuple):
    """A difference of two shares measured on the same trials."""

    quantity: str
    gained: int
    """Trials that are right in the second run only."""
    lost: int
    """Trials that are right in the first run only."""
    trials: int


class MixedCount(NamedTuple):
    """A share measured on independent trials, each with a chance known beforehand."""

    quantity: str
    successes: int
    chances: Floats
    """What the claim predicts of each trial, shape (trials,)."""
    control: Floats
    """What the negative control predicts of each."""
    offset: int = 0
    """Successes that are none: a loss counts as a trial whose success is not to lose."""

    def share(self, successes: float) -> float:
        """Successes, less the offset, as a share of the trials."""
        return (successes - self.offset) / len(self.chances)


AnyCount: TypeAlias = Count | PairedCount | MixedCount


class Measurement(NamedTuple):
    """What one cell measured."""

    counts: Sequence[AnyCount]
    identities_hold: bool = True
    """Whether everything that must be equal to the last digit was."""


@dataclass(frozen=True)
class Experiment:
    """A claim's experiment: what to play out in each cell, and what the claim predicts of it."""

    claim: str
    """The id of the claim in `theory.claims.CLAIMS`."""
    measures: str
    """What is measured against what, in one sentence."""
    axes: Mapping[str, Sequence[Value]]
    """The grid: each parameter's values."""
    measure: Callable[[Engine, np.random.Generator, Parameters, int], Measurement]
    """Plays a cell's decisions out with an engine."""
    predict: Callable[[Parameters, float], Mapping[str, float]]
    """Each quantity's predicted value, for gaps stretched by a factor; mixed counts bring their
    own."""
    decisions: int = DECISIONS
    """Decisions a cell: enough to tell the stretched gaps apart."""
    control: str = f"gaps {CONTROL_STRETCH:g} times as long"
    """What the negative control predicts instead."""
    episodes: bool = False
    """Whether its cells are episodes, on the SimPy clock whatever the engine."""

    def grid(self, engine: EngineName) -> Sequence[Parameters]:
        """The cells that an engine plays."""
        cells = grid(**self.axes)
        # One in so many, evenly through the grid: an odd step meets every value of the last axes.
        thin = engine == "simpy" and not self.episodes
        step = len(cells) // _SIMPY_CELLS | 1 if thin else 1
        return cells[::step]


@dataclass(frozen=True)
class Outcome:
    """What an experiment found."""

    claim: str
    engine: EngineName
    seed: int
    decisions: int
    """Decisions a cell."""
    cells: pl.DataFrame
    """A row a quantity and cell: the cell's parameters, quantity, side, trials, predicted,
    measured, low, high (exact 99 % limits of this row alone), p_value, rejected (by Holm)."""
    identities_hold: bool
    """Whether everything that must be equal to the last digit was, in every cell."""
    control_rejected: bool
    """Whether the same measurements rejected the control's predictions, as they must."""
    control_rejections: int
    """How many rows rejected them."""

    @property
    def held(self) -> bool:
        """Whether no row was rejected and every identity held."""
        return self.identities_hold and not self.cells["rejected"].any()

    @property
    def headline(self) -> dict[str, Value]:
        """The row that shows the claim best: its first quantity, predicted nearest to one half."""
        quantity = self.cells["quantity"][0]
        rows = self.cells.filter(pl.col("quantity") == quantity)
        return rows.sort((pl.col("predicted") - 0.5).abs()).row(0, named=True)


def run(
    experiment: Experiment,
    *,
    seed: int,
    engine: EngineName = "numpy",
    decisions: int | None = None,
    advance: Callable[[int], object] = lambda _: None,
) -> Outcome:
    """Play every cell of the grid and hold all of it against the claim at once.

    `decisions` a cell are the experiment's own unless given; `advance` is called with 1 after each
    cell.
    """
    from sim.engines import load_engine

    play = load_engine(engine)
    trials = decisions or experiment.decisions
    parameters: list[Parameters] = []
    counts: list[AnyCount] = []
    predicted: list[float] = []
    stretched: list[float] = []
    identities_hold = True
    for cell in experiment.grid(engine):
        rng = cell_rng(seed, {"claim": experiment.claim, **cell})
        measurement = experiment.measure(play, rng, cell, trials)
        identities_hold &= measurement.identities_hold
        right, wrong = experiment.predict(cell, 1.0), experiment.predict(cell, CONTROL_STRETCH)
        for count in measurement.counts:
            parameters.append(cell)
            counts.append(count)
            if isinstance(count, MixedCount):
                predicted.append(count.share(count.chances.sum()))
                stretched.append(count.share(count.control.sum()))
            else:
                predicted.append(right[count.quantity])
                stretched.append(wrong[count.quantity])
        advance(1)
    rejections = int(holm(_p_values(_controls(counts), stretched), FAMILY_ERROR).sum())
    return Outcome(
        claim=experiment.claim,
        engine="simpy" if experiment.episodes else engine,
        seed=seed,
        decisions=trials,
        cells=_frame(parameters, counts, predicted),
        identities_hold=identities_hold,
        control_rejected=rejections > 0,
        control_rejections=rejections,
    )


def _frame(
    parameters: Sequence[Parameters], counts: Sequence[AnyCount], predicted: list[float]
) -> pl.DataFrame:
    p_values = _p_values(counts, predicted)
    low, high = np.empty(len(counts)), np.empty(len(counts))
    for rows, group in _grouped(counts):
        limits = _limits(group)
        low[rows], high[rows] = limits
    return pl.DataFrame(list(parameters)).with_columns(
        quantity=pl.Series([count.quantity for count in counts]),
        side=pl.Series([_side(count) for count in counts]),
        trials=pl.Series([_trials(count) for count in counts]),
        predicted=pl.Series(predicted),
        measured=pl.Series([_measured(count) for count in counts]),
        low=pl.Series(low),
        high=pl.Series(high),
        p_value=pl.Series(p_values),
        rejected=pl.Series(holm(p_values, FAMILY_ERROR)),
    )


def _grouped(
    counts: Sequence[AnyCount],
) -> list[tuple[list[int], list[AnyCount]]]:
    """Counts that are tested alike, with their rows: one vectorised call serves each group."""
    groups: dict[str, list[int]] = {}
    for row, count in enumerate(counts):
        groups.setdefault(_side(count), []).append(row)
    return [(rows, [counts[row] for row in rows]) for rows in groups.values()]


def _controls(counts: Sequence[AnyCount]) -> list[AnyCount]:
    """Counts as the negative control sees them."""
    return [
        count._replace(chances=count.control) if isinstance(count, MixedCount) else count
        for count in counts
    ]


def _p_values(counts: Sequence[AnyCount], nulls: Sequence[float]) -> Floats:
    p_values = np.empty(len(counts))
    values = np.asarray(nulls)
    for rows, group in _grouped(counts):
        first = group[0]
        if isinstance(first, MixedCount):
            _, successes, chances, _, _ = zip(*group, strict=True)
            p_values[rows] = list(map(mixed_p_value, successes, chances))
        elif isinstance(first, PairedCount):
            _, gained, lost, trials = zip(*group, strict=True)
            p_values[rows] = paired_gain_p_value(gained, lost, trials, values[rows])
        else:
            _, successes, trials, _ = zip(*group, strict=True)
            p_values[rows] = binomial_p_value(successes, trials, values[rows], side=first.side)
    return p_values


def _limits(group: Sequence[AnyCount]) -> tuple[Floats, Floats]:
    first = group[0]
    if isinstance(first, MixedCount):
        ends = [_mixed_limits(count) for count in group if isinstance(count, MixedCount)]
        low, high = np.array(ends).T
        return low, high
    if isinstance(first, PairedCount):
        _, gained, lost, trials = zip(*group, strict=True)
        return paired_gain_limits(gained, lost, trials, confidence=0.99)
    _, successes, trials, _ = zip(*group, strict=True)
    return binomial_limits(successes, trials, confidence=0.99, side=first.side)


def _mixed_limits(count: MixedCount) -> tuple[float, float]:
    low, high = mixed_limits(count.successes, count.chances, confidence=0.99)
    trials = len(count.chances)
    return count.share(float(low) * trials), count.share(float(high) * trials)


def _side(count: AnyCount) -> str:
    if isinstance(count, MixedCount):
        return "mixed"
    return "paired" if isinstance(count, PairedCount) else count.side


def _trials(count: AnyCount) -> int:
    return len(count.chances) if isinstance(count, MixedCount) else count.trials


def _measured(count: AnyCount) -> float:
    if isinstance(count, MixedCount):
        return count.share(count.successes)
    if isinstance(count, PairedCount):
        return (count.gained - count.lost) / count.trials
    return count.successes / count.trials
