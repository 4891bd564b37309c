"""Sweeps read back from the Parquet files that `bestbefore sweep` writes."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from theory.errors import BadInput

_NUMBERS = {"hazard": 0.0, "gap": 0.0, "freshness": 0.0}
_COUNTS = {"decisions": 1, "safe": 0}
"""Columns read, each with its least value."""


def read_sweep(path: Path) -> pl.DataFrame:
    """A sweep's cells: hazard, gap, freshness, decisions, and how many of these were safe.

    Cells that failed are left out.
    A `BadInput` names the file and the column of what cannot be used.
    """
    try:
        with path.open("rb") as file:
            frame = pl.read_parquet(file)
    except OSError as error:
        raise BadInput("sweep", str(path), f"could not be read: {error.strerror}") from error
    except pl.exceptions.PolarsError as error:
        rule = "must be a Parquet file that bestbefore sweep wrote"
        raise BadInput("sweep", str(path), rule) from error
    if "error" in frame.columns:
        frame = frame.filter(pl.col("error").is_null())
    for name, least in (_NUMBERS | _COUNTS).items():
        if name not in frame.columns:
            raise BadInput(name, ", ".join(frame.columns), "must be a column").at(path)
        _check_column(frame[name], least, path)
    if frame.is_empty():
        raise BadInput("sweep", "no rows", "must hold at least one cell").at(path)
    too_many = frame.filter(pl.col("safe") > pl.col("decisions"))
    if not too_many.is_empty():
        rule = f"must be at most decisions(={too_many['decisions'][0]})"
        raise BadInput("safe", too_many["safe"][0], rule).at(path)
    return frame.select(*_NUMBERS, *_COUNTS)


def _check_column(column: pl.Series, least: float, path: Path) -> None:
    whole = column.name in _COUNTS
    if not (column.dtype.is_integer() if whole else column.dtype.is_numeric()):
        rule = "must be whole numbers" if whole else "must be numbers"
        raise BadInput(column.name, column.dtype, rule).at(path)
    wrong = column.filter(column.is_null() | ~column.is_finite() | (column < least))
    if wrong.len():
        raise BadInput(column.name, wrong[0], f"must be finite and >= {least:g}").at(path)
