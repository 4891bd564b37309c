"""The little language of `--where`: `COL OP VALUE`, as in `impact != maintenance`.

OP is one of = (or ==), !=, <, <=, >, >=. The column is what stands before the first operator, the
value all that follows; either may be in quotes, and a value in quotes is always text. Where cell
and value are both numbers they are compared as numbers, else as text. An empty cell equals the
empty value (`owner = ""`) and differs from any other; <, <=, > and >= never hold for it. NaN in a
column of numbers is an empty cell.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from theory.errors import BadInput

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
_QUOTED = r""""[^"]*"|'[^']*'"""
_CONDITION = re.compile(
    rf"""\s*(?P<column>{_QUOTED}|[^\s=!<>][^=!<>]*?)\s*(?P<op>{"|".join(_OPERATORS)})(?P<value>.*)""",
    re.DOTALL,
)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Condition:
    """One condition that a row must meet."""

    column: str
    """The column's name."""
    operator: str
    """One of the operators, as written."""
    value: str
    """The value, without its quotes."""
    number: float | None
    """The value as a number, unless it is none or was in quotes."""
    text: str
    """The condition as written."""

    def rows(self, schema: pl.Schema) -> pl.Expr:
        """Which rows meet it: true or false, never null."""
        if self.column not in schema:
            raise BadInput(
                "--where", self.column, f"must name a column of the log: {_list(schema)}"
            )
        compare = _OPERATORS[self.operator]
        cell, dtype = pl.col(self.column), schema[self.column]
        if dtype.is_float():
            cell = cell.fill_nan(None)
        text, number = _text(self.column, cell, dtype), _number(cell, dtype)
        holds: pl.Expr = compare(text.fill_null(""), self.value)
        if self.number is not None:
            holds = pl.when(number.is_finite()).then(compare(number, self.number)).otherwise(holds)
        if compare in (operator.eq, operator.ne):
            return holds
        return holds & text.is_not_null() & (text != "")


def parse_condition(text: str) -> Condition:
    """The condition that `text` states."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise BadInput(
            "--where", text, f"must be COL OP VALUE with OP among {' '.join(_OPERATORS)}"
        )
    value = match["value"].strip()
    quoted = re.fullmatch(_QUOTED, value) is not None
    number = float(value) if not quoted and _NUMBER.fullmatch(value) else math.inf
    column = match["column"]
    return Condition(
        column=column[1:-1] if re.fullmatch(_QUOTED, column) else column,
        operator=match["op"],
        value=value[1:-1] if quoted else value,
        number=number if math.isfinite(number) else None,
        text=text.strip(),
    )


def _text(name: str, cell: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if isinstance(dtype, pl.Datetime | pl.Date):
        return cell.dt.to_string("iso:strict")
    if dtype.is_nested() or isinstance(dtype, pl.Binary | pl.Object | pl.Duration | pl.Time):
        rule = "must be a column of text, numbers, dates or truth values"
        raise BadInput("--where", f"{name}: {dtype}", rule)
    return cell.cast(pl.String)


def _number(cell: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if dtype.is_numeric() or isinstance(dtype, pl.String):
        return cell.cast(pl.Float64, strict=False)
    return pl.lit(None, pl.Float64)


def _list(schema: pl.Schema) -> str:
    return ", ".join(schema)
