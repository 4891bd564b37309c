"""Logs of Inspect AI read back into a frame (extra `inspect`)."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from inspect_ai.log import read_eval_log

from sim.columns import Rows, Schema

ANSWERS: Schema = {
    "decision": pl.String,
    "model": pl.String,
    "label": pl.Int8,
    "kind": pl.String,
    "relation": pl.String,
    "choice": pl.String,
    "right": pl.Boolean,
    "reason": pl.String,
    "invalid": pl.String,
    "input": pl.Int64,
    "output": pl.Int64,
}
"""`label` is 1 where the decision should change; `relation` is what was delivered; `invalid` says
why an answer could not be used and counts as keep, null if it could; then tokens."""


def read_log(path: Path) -> pl.DataFrame:
    """A row a sample of a log of the task `judge`."""
    log = read_eval_log(str(path))
    rows = Rows(ANSWERS)
    for sample in log.samples or ():
        scored = sample.scores["choice"]
        usage = sample.output.usage
        rows.add(
            str(sample.id),
            sample.output.model,
            int(sample.target == "switch"),
            sample.metadata["kind"],
            sample.metadata["relation"],
            scored.answer,
            scored.answer == sample.target,
            scored.explanation,
            (scored.metadata or {}).get("invalid"),
            usage and usage.input_tokens,
            usage and usage.output_tokens,
        )
    return rows.frame()
