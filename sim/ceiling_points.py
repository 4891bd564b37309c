"""A natural stream's decisions against the ceiling: what their facts allow, and what came of them.

Two panels, each binned by x with about as many decisions a bin:

- `execution gap`, x = lambda (action - decided): decisions still valid when made lie on exp(-x),
  all decisions below it, by what their freshness gap costs
- `evidence age`, x = lambda (action - verified): all decisions lie on exp(-x)

Without routing a choice is right as long as its facts are as they were. A bin's prediction is the
mean of exp(-x) over its decisions, not exp(-x) of their mean, which would lie below it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sim.shared_trials import share_limits, share_p_value
from sim.streams import Gold, Stream, happened
from theory.arrays import Floats
from theory.inference import holm

BINS = 12
FAMILY_ERROR = 0.01
"""Chance of any false alarm over all bins of all panels."""


def observed(stream: Stream, gold: Gold) -> pl.DataFrame:
    """What a natural stream's log says of its decisions: `sim.streams.happened`, and `trial`.

    Decisions that rest on the same facts at the same time stand or fall together: one trial.
    """
    return happened(stream, gold).with_columns(trial=pl.Series(_trials(stream, gold)))


def ceiling_points(log: pl.DataFrame, decisions: pl.DataFrame, *, bins: int = BINS) -> pl.DataFrame:
    """The accuracy of decisions without routing, in bins.

    `log` is that of a `sim.runs.Run` of one stream, `decisions` has `seed`, `decision` and `right`,
    of its episode with the router none.

    A row a bin: `panel`, `group` ("valid when made" or "all"), `x` (its mean), `ceiling` (the mean
    of exp(-x)), `predicted` (the mean survival of its decisions), `decisions`, `trials`, `measured`
    (the share that is right), its exact 99 % limits `low` and `high`, `p_value`, and `rejected` (by
    Holm over all rows).
    """
    right = decisions.select("seed", "decision", "right")
    whole = log.join(right, on=("seed", "decision")).with_columns(
        execution=pl.col("rate") * (pl.col("action") - pl.col("decided")),
        age=pl.col("rate") * (pl.col("action") - pl.col("verified")),
    )
    valid = whole.filter(pl.col("first_change") > pl.col("decided"))
    points = pl.DataFrame(
        [
            *_points(valid, "execution gap", "valid when made", "execution", "execution", bins),
            *_points(whole, "execution gap", "all", "execution", "age", bins),
            *_points(whole, "evidence age", "all", "age", "age", bins),
        ]
    )
    rejected = holm(points["p_value"].to_numpy(), FAMILY_ERROR)
    return points.with_columns(rejected=pl.Series(rejected))


def _points(
    log: pl.DataFrame, panel: str, group: str, x: str, survival: str, bins: int
) -> Iterator[dict[str, object]]:
    """The bins of one panel and group: over the column `x`, surviving as of `survival`."""
    ordered = log.sort(x)
    for part in np.array_split(np.arange(ordered.height), min(bins, ordered.height)):
        rows = ordered[part.tolist()]
        right = float(rows["right"].to_numpy().mean())
        trials = rows.select("seed", "trial").n_unique()
        low, high = share_limits(right, trials)
        predicted = _mean_survival(rows[survival].to_numpy())
        yield {
            "panel": panel,
            "group": group,
            "x": float(rows[x].to_numpy().mean()),
            "ceiling": _mean_survival(rows[x].to_numpy()),
            "predicted": predicted,
            "decisions": rows.height,
            "trials": trials,
            "measured": right,
            "low": low,
            "high": high,
            "p_value": share_p_value(right, trials, predicted),
        }


def _mean_survival(x: Floats) -> float:
    return float(np.exp(-x).mean())


def _trials(stream: Stream, gold: Gold) -> NDArray[np.int64]:
    """The trial of each decision: a new one where its facts are not already under observation."""
    verified, action = stream.timeline.verified, stream.timeline.action
    watched: dict[tuple[int, ...], tuple[float, int]] = {}  # until when, and by which trial
    trials = np.empty(len(stream.decisions), dtype=np.int64)
    for index in np.argsort(verified, kind="stable").tolist():
        facts = gold.truths[stream.decisions[index].id].facts
        until, trial = watched.get(facts, (-np.inf, index))
        if verified[index] >= until:  # type: ignore[index]
            trial = index
        trials[index] = trial
        watched[facts] = (max(until, action[index]), trial)  # type: ignore[index]
    return trials
