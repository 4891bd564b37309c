"""Change logs from CSV and Parquet files: their columns of times, as hours.

Errors name the file and, in a CSV file, the line on which the row begins.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import polars as pl

from reports.filters import Condition
from reports.times import OUT_OF_RANGE, TimeKind, in_range, read_times
from theory.errors import BadInput

NO_TIME = "must be a time: ISO 8601, such as 2024-05-01T12:00:00Z, or a number of hours"

_ROW, _KEPT, _BLANK = "\0row", "\0kept", "\0blank"


@dataclass(frozen=True)
class ChangeLog:
    """The rows of a log that its filters keep."""

    frame: pl.DataFrame
    """`fact` (text) and the columns of times asked for, in hours; null where a cell is empty."""
    kind: TimeKind
    """How the log writes its times."""
    rows: int
    """Rows of the file."""


def read_change_log(
    path: Path,
    times: Mapping[str, tuple[str, str]],
    *,
    optional: Sequence[str] = (),
    fact: str | None = None,
    where: Sequence[Condition] = (),
) -> ChangeLog:
    """Read a log.

    `times` gives, for each column of the frame, the option that asked for it and the file's column;
    those of `optional` may have empty cells, as only a name of facts may not. Rows that do not meet
    every condition of `where` are left out unread. Refuses, beside files that are no tables, times
    that cannot be read, of more than one kind, or an `end` before its `start`.
    """
    asked_for = [column for _, column in times.values()] + [c.column for c in where]
    table = _Table.open(path, [*asked_for, *([] if fact is None else [fact])])
    for option, column in [*times.values(), *([] if fact is None else [("--fact", fact)])]:
        table.check_column(option, column)
    wanted = {name: column for name, (_, column) in times.items()}
    columns = [*wanted.values(), *([] if fact is None else [fact])]
    frame, rows = table.read(columns, where)
    hours, kind = _hours(table, frame, wanted, optional)
    if {"start", "end"} <= set(wanted):
        _check_order(table, frame, hours, wanted)
    return ChangeLog(hours.insert_column(0, _facts(table, frame, fact).alias("fact")), kind, rows)


@dataclass(frozen=True)
class _Table:
    """A file that holds a table, yet to be read."""

    path: Path
    lazy: pl.LazyFrame
    schema: pl.Schema
    is_text: bool

    @classmethod
    def open(cls, path: Path, columns: Sequence[str]) -> _Table:
        try:
            with path.open("rb") as file:
                magic = file.read(4)
        except OSError as error:
            raise BadInput("LOG", str(path), f"could not be read: {error.strerror}") from error
        if magic[:2] == b"\x1f\x8b" or magic == b"\x28\xb5\x2f\xfd":
            raise BadInput("LOG", str(path), "must be a plain CSV or Parquet file, not compressed")
        is_text = magic != b"PAR1"
        if not is_text:
            _try_parquet(path, columns)
        try:
            if is_text:
                lazy = pl.scan_csv(path, infer_schema=False, glob=False)
            else:
                lazy = pl.scan_parquet(path, glob=False)
            return cls(path, lazy, lazy.collect_schema(), is_text)
        except _POLARS_ERRORS as error:
            _refuse(path, error)

    def check_column(self, option: str, column: str) -> None:
        if column not in self.schema:
            rule = f"must name a column; there are: {', '.join(self.schema)}"
            raise BadInput(option, column, rule).at(self.path)
        if self.is_text and f"{column}_duplicated_0" in self.schema:
            raise BadInput(option, column, "must name one column, not several").at(self.path)

    def read(self, columns: Sequence[str], where: Sequence[Condition]) -> tuple[pl.DataFrame, int]:
        """The columns of the rows that meet the conditions, with their places; rows in the file.

        Lines without any text are no rows.
        """
        kept = [condition.rows(self.schema) for condition in where]
        blank = pl.all_horizontal(pl.all().is_null()) if self.is_text else pl.lit(False)
        try:
            frame = (
                self.lazy.select(
                    *dict.fromkeys(columns),
                    pl.all_horizontal(pl.lit(True), *kept).alias(_KEPT),
                    blank.alias(_BLANK),
                )
                .with_row_index(_ROW)
                .collect()
            )
        except _POLARS_ERRORS as error:
            _refuse(self.path, error)
        frame = frame.filter(~pl.col(_BLANK))
        if frame.is_empty():
            raise BadInput("LOG", str(self.path), "must hold at least one row")
        chosen = frame.filter(pl.col(_KEPT))
        if chosen.is_empty():
            rule = f"must keep at least one of the {frame.height} rows"
            raise BadInput("--where", " and ".join(c.text for c in where), rule).at(self.path)
        return chosen.drop(_KEPT, _BLANK), frame.height

    def refuse_cell(self, frame: pl.DataFrame, index: int, column: str, rule: str) -> NoReturn:
        """Refuse a cell of what was read, by its line where there are lines, by its row if not."""
        row, cell = frame[_ROW][index], frame[column][index]
        value = "" if cell is None else str(cell)
        if self.is_text:
            raise BadInput(column, value, rule).at(self.path, _line_of_row(self.path, row))
        raise BadInput(f"row {row + 1}: {column}", value, rule).at(self.path)


_POLARS_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


_TRIAL = """
import sys, polars
table = polars.scan_parquet(sys.argv[1], glob=False)
table.select(sorted(set(sys.argv[2:]) & set(table.collect_schema()))).collect()
"""


def _try_parquet(path: Path, columns: Sequence[str]) -> None:
    """Refuse a file whose columns cannot be read to their ends.

    A damaged one may ask for more memory than there is, and its reader then ends the process: so
    a process of its own reads it first.
    """
    command = [sys.executable, "-I", "-c", _TRIAL, str(path), *columns]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        raise BadInput("LOG", str(path), "must be a CSV (UTF-8) or Parquet file, and undamaged")


def _refuse(path: Path, error: BaseException) -> NoReturn:
    if isinstance(error, pl.exceptions.NoDataError):
        raise BadInput("LOG", str(path), "must hold at least one row") from error
    why = str(error).split("\n", 1)[0]
    raise BadInput("LOG", str(path), f"must be a CSV (UTF-8) or Parquet file: {why}") from error


def _hours(
    table: _Table, frame: pl.DataFrame, wanted: Mapping[str, str], optional: Sequence[str]
) -> tuple[pl.DataFrame, TimeKind]:
    """The times in hours, and their one kind: that of the first."""
    try:
        with ThreadPoolExecutor() as pool:  # Polars reads each column on a thread
            columns = pool.map(read_times, [frame[column] for column in wanted.values()])
            read = dict(zip(wanted, columns, strict=True))
    except BadInput as error:
        raise error.at(table.path) from error
    first = pl.DataFrame([times.kind.alias(name) for name, times in read.items()]).filter(
        pl.any_horizontal(pl.all().is_not_null())
    )
    kinds = [kind for kind in first.row(0) if kind is not None] if first.height else []
    kind = TimeKind(kinds[0]) if kinds else TimeKind.OFFSET
    wrong: list[tuple[int, str, str]] = []
    for name, column in wanted.items():
        times = read[name]
        unread = times.kind.is_null().arg_true()
        empty = _empty(frame[column].gather(unread))
        for rows, rule in (
            (unread.filter(~empty), NO_TIME),
            (unread.filter(empty & (name not in optional)), "must not be empty"),
            ((times.kind != kind.value).arg_true(), f"must be {kind.words}, as those before it"),
            ((~in_range(times)).arg_true(), OUT_OF_RANGE),
        ):
            wrong += [(rows[0], column, rule)] if rows.len() else []
    if wrong:
        row, column, rule = min(wrong, key=lambda found: found[0])
        table.refuse_cell(frame, row, column, rule)
    return pl.DataFrame([times.hours.alias(name) for name, times in read.items()]), kind


def _facts(table: _Table, frame: pl.DataFrame, fact: str | None) -> pl.Series:
    """The name of each row's fact."""
    if fact is None:
        return pl.Series(["all"]).new_from_index(0, frame.height)
    try:
        names = frame[fact].cast(pl.String)
    except pl.exceptions.PolarsError as error:
        rule = "must be a column of text or numbers"
        raise BadInput("--fact", f"{fact}: {frame[fact].dtype}", rule).at(table.path) from error
    nameless = (names.fill_null("") == "").arg_true()
    if nameless.len():
        table.refuse_cell(frame, nameless[0], fact, "must not be empty")
    return names


def _check_order(
    table: _Table, frame: pl.DataFrame, hours: pl.DataFrame, wanted: Mapping[str, str]
) -> None:
    """Refuse an interval that ends before it starts."""
    wrong = (hours["end"] < hours["start"]).arg_true()
    if wrong.len():
        start = frame[wanted["start"]][wrong[0]]
        rule = f"must not be before {wanted['start']}(={start})"
        table.refuse_cell(frame, wrong[0], wanted["end"], rule)


def _empty(cells: pl.Series) -> pl.Series:
    """Which cells hold nothing, or blanks only."""
    if isinstance(cells.dtype, pl.String):
        return cells.str.strip_chars().fill_null("") == ""
    return cells.is_null()


def _line_of_row(path: Path, row: int) -> int:
    """The line, from 1, on which a row of a CSV file begins: quoted cells may span several."""
    record, in_quotes = -1, False
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if record < 0 and not line.strip(b"\r\n"):
                continue  # before the header
            record += not in_quotes
            if record > row:
                return number
            in_quotes ^= line.count(b'"') % 2 == 1
    return row + 2  # the file has changed since it was read
