"""A natural stream's decisions against the ceiling: what their facts allow, and what came of them.

Two panels, each binned by x with about as many decisions a bin:

- `execution gap`, x = lambda (action - decided): decisions still valid when made lie on exp(-x),
  all decisions below it, by what their freshness gap costs
- `evidence age`, x = lambda (action - verified): all decisions lie on exp(-x)

A decision that stands is one that is right without routing. A bin's prediction is the mean of
exp(-x) over its decisions, not exp(-x) of their mean, which would lie below it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sim.streams import Gold, Stream, happened
from theory.arrays import Floats
from theory.inference import binomial_limits

BINS = 12
CONFIDENCE = 0.99


def ceiling_points(stream: Stream, gold: Gold, *, bins: int = BINS) -> pl.DataFrame:
    """What stands, in bins of decisions.

    A row a bin: `panel`, `group` ("valid when made" or "all"), `x` (its mean), `ceiling` (the mean
    of exp(-x)), `predicted` (the mean survival of its decisions), `decisions`, `trials`, `standing`
    (their share), `low` and `high`.

    The limits are exact ones at 99 %. Decisions that rest on the same facts at the same time stand
    or fall together: they count as one trial.
    """
    log = happened(stream, gold).with_columns(
        trial=pl.Series(_trials(stream, gold)),
        execution=pl.col("rate") * (pl.col("action") - pl.col("decided")),
        age=pl.col("rate") * (pl.col("action") - pl.col("verified")),
    )
    valid = log.filter(pl.col("first_change") > pl.col("decided"))
    return pl.DataFrame(
        [
            *_points(valid, "execution gap", "valid when made", "execution", "execution", bins),
            *_points(log, "execution gap", "all", "execution", "age", bins),
            *_points(log, "evidence age", "all", "age", "age", bins),
        ]
    )


def _points(
    log: pl.DataFrame, panel: str, group: str, x: str, survival: str, bins: int
) -> Iterator[dict[str, object]]:
    """The bins of one panel and group: over the column `x`, surviving as of `survival`."""
    ordered = log.sort(x)
    for part in np.array_split(np.arange(ordered.height), min(bins, ordered.height)):
        rows = ordered[part.tolist()]
        standing = 1 - float(rows["label"].to_numpy().mean())
        trials = rows["trial"].n_unique()
        low, high = _limits(standing, trials)
        yield {
            "panel": panel,
            "group": group,
            "x": float(rows[x].to_numpy().mean()),
            "ceiling": _mean_survival(rows[x].to_numpy()),
            "predicted": _mean_survival(rows[survival].to_numpy()),
            "decisions": rows.height,
            "trials": trials,
            "standing": standing,
            "low": low,
            "high": high,
        }


def _mean_survival(x: Floats) -> float:
    return float(np.exp(-x).mean())


def _limits(share: float, trials: int) -> tuple[float, float]:
    """Of a share of so many trials, widened to whole counts where it falls between two."""
    count = round(share * trials, 9)
    low, _ = binomial_limits(np.floor(count), trials, confidence=CONFIDENCE)
    _, high = binomial_limits(np.ceil(count), trials, confidence=CONFIDENCE)
    return float(low), float(high)


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
