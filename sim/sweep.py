"""Sweeps: one function over the cells of a grid, in one process or many, into one frame.

A cell draws from a stream of its own, seeded by what it is (`sim.cells`), so that its row is the
same alone, in any order, with any number of workers and after cells are added.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import as_completed
from typing import TypeAlias

import numpy as np
import polars as pl

from sim.cells import Parameters, Value, cell_rng
from sim.grid import check_distinct, check_fits
from sim.processes import LocalProcesses
from theory.errors import BadInput

Row: TypeAlias = Mapping[str, Value]
CellFunction: TypeAlias = Callable[[Parameters, np.random.Generator], Row]
"""What a sweep runs in each cell: from parameters and a stream to named results."""

Run: TypeAlias = tuple[Parameters, int]
"""A cell and the number of its replicate."""

REPLICATE = "replicate"
"""The column of a sweep's frame that counts the replicates of a cell, from 0."""
_KINDS = {str: (str,), int: (int, np.integer), float: (float, np.floating)}
_DTYPES = {str: pl.String, int: pl.Int64, float: pl.Float64}
_BATCHES_PER_WORKER = 32
"""Enough that workers end together and a bar moves, few enough that sending costs nothing."""
_A_YEAR = 365 * 24 * 3600.0
"""No limit in practice; but a wait without one is deaf to Ctrl-C once Polars is loaded."""


def sweep(
    cells: Sequence[Parameters],
    function: CellFunction,
    *,
    seed: int = 0,
    replicates: int = 1,
    workers: int = 1,
    advance: Callable[[int], object] | None = None,
) -> pl.DataFrame:
    """Run `function` in every cell, `replicates` times, each time on a stream of its own.

    One row a cell and replicate, in the order of `cells`: parameters, `replicate` (from 0), then
    results. With `workers` > 1 the function runs in that many local processes, so it must be
    defined at the top level of a module. `advance` is called with the number of rows just done.
    """
    for name, number in (("replicates", replicates), ("workers", workers)):
        if number < 1:
            raise BadInput(name, number, "must be >= 1")
    if not cells:
        raise BadInput("cells", [], "must hold at least one cell")
    check_fits(len(cells) * replicates, len(cells[0]))
    runs = [(cell, replicate) for cell in cells for replicate in range(replicates)]
    described = _columns([cell for cell, _ in runs])
    check_distinct(cells)
    if REPLICATE in described:
        raise BadInput("parameter", REPLICATE, "must not have the name of the sweep's own column")
    described[REPLICATE] = pl.Series([replicate for _, replicate in runs], dtype=pl.Int64)
    results: list[Row] = [{}] * len(runs)

    def collect(start: int, rows: Sequence[Row]) -> None:
        results[start : start + len(rows)] = rows
        if advance is not None:
            advance(len(rows))

    if workers == 1:
        for index, run in enumerate(runs):
            collect(index, _play([run], function, seed))
    else:
        _play_in_processes(runs, function, seed, min(workers, len(runs)), collect)
    measured = _columns(results)
    for name in measured:
        if name in described:
            raise BadInput("result", name, "must not have the name of a parameter")
    return pl.DataFrame({**described, **measured})


def _play_in_processes(
    runs: Sequence[Run],
    function: CellFunction,
    seed: int,
    workers: int,
    collect: Callable[[int, Sequence[Row]], None],
) -> None:
    """Send the runs out in batches, and collect each with the index of its first as it is done."""
    _check_sendable(function)
    size = math.ceil(len(runs) / (workers * _BATCHES_PER_WORKER))
    with LocalProcesses(workers) as pool:
        starts = {
            pool.submit(_play, runs[start : start + size], function, seed): start
            for start in range(0, len(runs), size)
        }
        for future in as_completed(starts, timeout=_A_YEAR):
            collect(starts[future], future.result())


def _play(runs: Sequence[Run], function: CellFunction, seed: int) -> list[Row]:
    return [
        function(parameters, cell_rng(seed, parameters, replicate))
        for parameters, replicate in runs
    ]


def _check_sendable(function: CellFunction) -> None:
    try:
        pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        rule = "must be defined at the top level of a module to run in processes"
        raise BadInput("function", function, rule) from error


def _columns(rows: Sequence[Row]) -> dict[str, pl.Series]:
    """Columns in the order in which their names first come up; null where a row lacks one."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: _column(name, rows) for name in names}


def _column(name: str, rows: Sequence[Row]) -> pl.Series:
    kinds = {_kind(name, row[name]) for row in rows if name in row}
    if len(kinds) > 1 and str in kinds:
        raise BadInput(name, "", "must be numbers in all cells or text in all cells")
    kind = float if float in kinds else kinds.pop()
    values = [kind(row[name]) if name in row else None for row in rows]
    return pl.Series(values, dtype=_DTYPES[kind])


def _kind(name: str, value: object) -> type[str | int | float]:
    for kind, kinds in _KINDS.items():
        if isinstance(value, kinds):
            return kind
    raise BadInput(name, value, "must be a number or text")
