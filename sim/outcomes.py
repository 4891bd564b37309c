"""What became of a cell: its results or its error, and frames of many of them.

A function may name other results in other cells. The columns of a frame then follow from which
sets of names there were, not from the order in which cells came: a sweep gives the same bytes
however it went.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl

from sim.cells import Value
from theory.errors import BadInput

Row: TypeAlias = Mapping[str, Value]
Shape: TypeAlias = tuple[str, ...]
"""The names of a cell's results, in the order in which its function gave them."""

REPLICATE = "replicate"
"""The column that counts the replicates of a cell, from 0."""
ERROR = "error"
"""The column that says why a cell has no results; null where it has."""
KEY, SECONDS = "_key", "_seconds"
"""Columns of parts alone: the `cell_key`, and how long the cell took."""
OWN = (REPLICATE, ERROR, KEY, SECONDS)
"""Names that no parameter and no result may have."""

_DTYPES = {str: pl.String, int: pl.Int64, float: pl.Float64}
_INT_BITS = 63
_LONGEST_ERROR = 500


class Outcome(NamedTuple):
    """What became of one cell."""

    results: Row
    error: str | None
    """Null where the cell has results."""
    seconds: float | None
    """How long it took, where it is known."""


def failure(error: BaseException) -> str:
    """An error on one line: its type and what it says."""
    text = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    return text[:_LONGEST_ERROR].encode("utf-8", "replace").decode()


def checked(results: Row, parameters: Row) -> Row:
    """A cell's results as Python's own numbers and texts, under names that are free."""
    for name in results:
        if name in parameters or name in OWN:
            rule = "must not have the name of a parameter or of a column of the sweep's own"
            raise BadInput("result", name, rule)
    return {name: _plain(name, value) for name, value in results.items()}


def outcome_frames(outcomes: Mapping[bytes, Outcome]) -> list[pl.DataFrame]:
    """Frames of outcomes by key, one for each shape, its results' columns in its order."""
    by_shape: dict[Shape, list[bytes]] = {}
    for key, outcome in outcomes.items():
        by_shape.setdefault(tuple(outcome.results), []).append(key)
    return [
        pl.DataFrame(
            {
                KEY: pl.Series(keys, dtype=pl.Binary),
                SECONDS: pl.Series([outcomes[key].seconds for key in keys], dtype=pl.Float64),
                ERROR: pl.Series([outcomes[key].error for key in keys], dtype=pl.String),
                **columns([outcomes[key].results for key in keys]),
            }
        )
        for keys in by_shape.values()
    ]


def shape_of(frame: pl.DataFrame) -> Shape:
    """The shape of a frame that `outcome_frames` made."""
    return tuple(name for name in frame.columns if name not in OWN)


def joined(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Frames of outcomes one below the other; of a key that comes twice the last counts."""
    _check_kinds(frames)
    whole = pl.concat(frames, how="diagonal_relaxed")
    return whole.unique(KEY, keep="last", maintain_order=True)


def order_of(shapes: Iterable[Shape]) -> list[str]:
    """The order of all shapes' names: that of the shapes, sorted, one after the other."""
    return list(dict.fromkeys(name for shape in sorted(set(shapes)) for name in shape))


def columns(rows: Sequence[Row]) -> dict[str, pl.Series]:
    """Columns in the order in which their names first come up; null where a row lacks one."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: _column(name, rows) for name in names}


def _column(name: str, rows: Sequence[Row]) -> pl.Series:
    values = [_plain(name, row[name]) if name in row else None for row in rows]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 and str in kinds:
        raise _mixed(name)
    kind = float if float in kinds else kinds.pop()
    return pl.Series([None if it is None else kind(it) for it in values], dtype=_DTYPES[kind])


def _check_kinds(frames: Sequence[pl.DataFrame]) -> None:
    kinds: dict[str, bool] = {}
    for frame in frames:
        for name in shape_of(frame):
            text = frame.schema[name] == pl.String
            if kinds.setdefault(name, text) != text:
                raise _mixed(name)


def _mixed(name: str) -> BadInput:
    return BadInput(name, "", "must be numbers in all cells or text in all cells")


def _plain(name: str, value: object) -> Value:
    plain: Value
    if isinstance(value, str):
        plain = str(value)
    elif isinstance(value, int | np.integer):
        plain = int(value)
    elif isinstance(value, float | np.floating):
        plain = float(value)
    else:
        raise BadInput(name, value, "must be a number or text")
    if isinstance(plain, int) and plain.bit_length() > _INT_BITS:
        raise BadInput(name, value, f"must fit in {_INT_BITS} bits and a sign")
    if isinstance(plain, str) and not _encodes(plain):
        raise BadInput(name, value, "must be text that UTF-8 can hold")
    return plain


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
