"""What runs are measured by: pure functions of scored decisions, each with an interval.

Every share whose trial is a decision has Clopper-Pearson limits; sums over decisions, of pairs,
deliveries and tokens, have bootstrap ones. An empty cell has no rate: null.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sim.bootstrap import ratio_limits
from sim.cells import cell_rng
from theory import Factorisation
from theory.arrays import Floats
from theory.inference import binomial_limits

CONFIDENCE = 0.95

_every = pl.col("decision").is_not_null()
_changing = pl.col("label") == 1
_switched = pl.col("choice") == "switch"
_reached = pl.col("decisive") > 0
_answered = pl.col("invalid").is_null()

SHARES: dict[str, tuple[pl.Expr, pl.Expr]] = {
    "accuracy": (_every, pl.col("right")),
    "recall": (_changing, _reached),
    "switch": (_changing & _reached, _switched),
    "lapse": (_changing & ~_reached, _switched),
    "keep": (~_changing, ~_switched),
    "keep_exposed": (~_changing & pl.col("exposed"), ~_switched),
    "keep_calm": (~_changing & ~pl.col("exposed"), ~_switched),
    "missed": (_every, pl.col("missed")),
    "invalid": (pl.col("called"), ~_answered),
    "answered_accuracy": (_answered, pl.col("right")),
    "answered_switch": (_answered & _changing & _reached, _switched),
    "answered_keep": (_answered & ~_changing, ~_switched),
}
"""Each share: which decisions are its trials, and which of them count. An invalid answer of a model
is kept as keep; the last three leave such decisions out."""

RATIOS = {
    "pair_recall": ("decisive", "news"),
    "precision": ("decisive", "received"),
    "delivered": ("received", "decisions"),
    "input_tokens": ("input_tokens", "decisions"),
}
"""Sums over decisions: decisive (notice, decision) pairs delivered of those there are, and of all
deliveries; deliveries and input tokens a decision."""


def measure(decisions: pl.DataFrame, *, by: Sequence[str] = (), seed: int = 0) -> pl.DataFrame:
    """A row for each group of scored decisions: all of them, or those alike in the columns `by`.

    Columns: `by`; `decisions`, how many; each of `SHARES` and `RATIOS` with `_low` and `_high`, its
    95 % limits; `traps`, deliveries, out of `lures`; `dropped` by a time filter, `wrongly_dropped`
    of these, which were decisive; `called`, decisions that a judge read about. `seed` draws the
    bootstrap, the same for every group and ratio.
    """
    counts = _counts(decisions, by)
    return counts.select(
        *by,
        "decisions",
        *(column for name in SHARES for column in _share(counts, name)),
        *_ratios(counts, decisions, by, seed),
        traps="sum_traps",
        lures="sum_lures",
        dropped="sum_dropped",
        wrongly_dropped="sum_wrongly_dropped",
        called="sum_called",
    )


def shares(decisions: pl.DataFrame, *, by: Sequence[str] = ()) -> pl.DataFrame:
    """`measure` without the ratios, which take a bootstrap: `by`, `decisions` and `SHARES`."""
    counts = _counts(decisions, by)
    return counts.select(
        *by, "decisions", *(column for name in SHARES for column in _share(counts, name))
    )


def factorisation(decisions: pl.DataFrame) -> Factorisation:
    """The five rates of scored decisions in rational arithmetic: their accuracy exactly."""
    [row] = _counts(decisions, ()).iter_rows(named=True)
    return Factorisation.from_counts(
        standing=row["of_keep"],
        kept=row["keep"],
        delivered=row["of_switch"],
        switched_delivered=row["switch"],
        missed=row["of_lapse"],
        switched_missed=row["lapse"],
    )


def _counts(decisions: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """For each group the trials of each share, the successes among them, and the sums."""
    trials = {f"of_{name}": trial.sum() for name, (trial, _) in SHARES.items()}
    successes = {name: (trial & counts).sum() for name, (trial, counts) in SHARES.items()}
    summed = (
        *("decisive", "news", "received", "input_tokens", "traps", "lures", "called"),
        *("dropped", "wrongly_dropped"),
    )
    sums = {f"sum_{name}": pl.col(name).sum() for name in summed}
    everything = trials | successes | sums | {"decisions": pl.len(), "sum_decisions": pl.len()}
    rows = (
        decisions.group_by(by, maintain_order=True).agg(**everything)
        if by
        else decisions.select(**everything)
    )
    return rows.with_columns(pl.col(*everything).cast(pl.Int64))


def _share(counts: pl.DataFrame, name: str) -> list[pl.Series]:
    """A share and its limits."""
    successes, trials = counts[name].to_numpy(), counts[f"of_{name}"].to_numpy()
    some = trials > 0
    low, high = binomial_limits(successes[some], trials[some], confidence=CONFIDENCE)
    values = {name: successes[some] / trials[some], f"{name}_low": low, f"{name}_high": high}
    return [_spread(column, some, found) for column, found in values.items()]


def _ratios(
    counts: pl.DataFrame, decisions: pl.DataFrame, by: Sequence[str], seed: int
) -> list[pl.Series]:
    """The ratios of sums over decisions and their limits."""
    parts, wholes = zip(*RATIOS.values(), strict=True)
    numbers = decisions.select(*by, *({*parts, *wholes} - {"decisions"})).with_columns(decisions=1)
    groups = numbers.partition_by(by, maintain_order=True) if by else [numbers]
    limits = [
        ratio_limits(
            _each(group, parts),
            _each(group, wholes),
            cell_rng(seed, {"draws": "bootstrap"}),
            confidence=CONFIDENCE,
        )
        for group in groups
    ]
    columns = []
    for index, (name, (part, whole)) in enumerate(RATIOS.items()):
        sums = counts[f"sum_{whole}"].to_numpy()
        some = sums > 0
        ratio = counts[f"sum_{part}"].to_numpy()[some] / sums[some]
        low, high = (np.array([limit[end][index] for limit in limits])[some] for end in (0, 1))
        values = {name: ratio, f"{name}_low": low, f"{name}_high": high}
        columns += [_spread(column, some, found) for column, found in values.items()]
    return columns


def _each(decisions: pl.DataFrame, names: Sequence[str]) -> Floats:
    """Numbers of each decision, shape (decisions, names)."""
    return np.column_stack([decisions[name].cast(pl.Float64).to_numpy() for name in names])


def _spread(name: str, some: NDArray[np.bool_], found: Floats) -> pl.Series:
    whole = np.full(len(some), np.nan)
    whole[some] = found
    return pl.Series(name, whole, nan_to_null=True)
