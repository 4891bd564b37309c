"""The columns of an episode's frames, and rows gathered one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import polars as pl

Schema: TypeAlias = Mapping[str, type[pl.DataType]]

DECISIONS: Schema = {
    "decision": pl.String,
    "decided": pl.Float64,
    "deadline": pl.Float64,
    "action": pl.Float64,
    "outcome": pl.Float64,
    "asked": pl.Float64,
    "received": pl.Int64,
    "called": pl.Boolean,
    "verdict": pl.String,
    "invalid": pl.String,
    "missed": pl.Boolean,
    "choice": pl.String,
    "input_tokens": pl.Int64,
}
DELIVERIES: Schema = {
    "decision": pl.String,
    "notice": pl.String,
    "published": pl.Float64,
    "score": pl.Float64,
}
DROPS: Schema = {
    "decision": pl.String,
    "notice": pl.String,
    "score": pl.Float64,
}
CALLS: Schema = {
    "decision": pl.String,
    "asked": pl.Float64,
    "started": pl.Float64,
    "finished": pl.Float64,
    "verdict": pl.String,
    "counted": pl.Boolean,
    "reason": pl.String,
    "invalid": pl.String,
    "question": pl.String,
    "input_tokens": pl.Int64,
    "tokens": pl.Int64,
    "latency": pl.Float64,
}

BLOCK = 10_000
"""Rows that wait as Python objects before they become a frame."""


class Rows:
    """Rows of one schema, gathered one by one in little memory."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._frames = [pl.DataFrame(schema=schema)]
        self._rows: list[tuple[object, ...]] = []

    def add(self, *row: object) -> None:
        """One more row, its values in the order of the schema."""
        self._rows.append(row)
        if len(self._rows) == BLOCK:
            self._pack()

    def frame(self) -> pl.DataFrame:
        """All rows, in the order in which they were added."""
        self._pack()
        return pl.concat(self._frames)

    def _pack(self) -> None:
        if self._rows:
            self._frames.append(pl.DataFrame(self._rows, schema=self._schema, orient="row"))
            self._rows = []
