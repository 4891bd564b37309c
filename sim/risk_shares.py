"""Where the first change fell: a natural stream's own risk split, predicted and counted."""

from __future__ import annotations

import numpy as np
import polars as pl

from sim.shared_trials import share_limits, share_p_value
from theory.ceiling import split_shares
from theory.inference import holm

FAMILY_ERROR = 0.01
"""Chance of any false alarm over the four shares."""
SHARES = ("stale", "recoverable", "late", "safe")


def risk_shares(log: pl.DataFrame) -> pl.DataFrame:
    """A row a share of `theory.risk_split`, over the decisions of `sim.runs.Run.log`.

    Columns `share`, `decisions`, `trials`, `predicted` (the mean over decisions, from the hazards
    of their facts), `measured`, its exact 99 % limits `low` and `high`, `p_value`, and `rejected`
    (by Holm). The delay of news is the log's own.
    """
    trials = log.select("seed", "trial").n_unique()
    cause = log["cause"].fill_null("safe")
    rows = []
    for share, predicted in zip(SHARES, _predicted(log), strict=True):
        measured = float((cause == share).to_numpy().mean())
        low, high = share_limits(measured, trials)
        rows.append(
            {
                "share": share,
                "decisions": log.height,
                "trials": trials,
                "predicted": predicted,
                "measured": measured,
                "low": low,
                "high": high,
                "p_value": share_p_value(measured, trials, predicted),
            }
        )
    frame = pl.DataFrame(rows)
    rejected = holm(frame["p_value"].to_numpy(), FAMILY_ERROR)
    return frame.with_columns(rejected=pl.Series(rejected))


def _predicted(log: pl.DataFrame) -> list[float]:
    rate, verified, decided, deadline, action = (
        log[name].to_numpy() for name in ("rate", "verified", "decided", "deadline", "action")
    )
    delay = _delay(log)
    by_decision, by_deadline, safe = (
        np.exp(-rate * np.maximum(np.minimum(end, action) - verified, 0.0))
        for end in (decided - delay, deadline - delay, action)
    )
    shares = split_shares(by_decision, by_deadline, safe)
    return [float(np.mean(share)) for share in shares]


def _delay(log: pl.DataFrame) -> float:
    """How long after a change its news comes out: the same for all; 0 where nothing changed."""
    seen = log.filter(pl.col("published").is_finite())
    if seen.is_empty():
        return 0.0
    return float((seen["published"] - seen["first_change"]).median())  # type: ignore[arg-type]
