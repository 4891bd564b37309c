"""Sweeps: one function over the cells of a grid, on any executor, into one frame and file.

A cell draws from a stream of its own, seeded by what it is (`sim.cells`), so that its row is the
same alone, in any order, on any executor with any number of workers, and after cells are added.
What is done is kept (`sim.sweep_folder`): a sweep that is stopped, however it is stopped, resumes
and ends with the same bytes. A cell that raises or whose worker dies has its error in its row.
"""

from __future__ import annotations

import functools
import os
import pickle
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from sim.cells import Parameters, cell_key
from sim.grid import check_fits
from sim.keeping import InMemory, Keeper, Store, Tally
from sim.outcomes import ERROR, OWN, REPLICATE, columns
from sim.playing import CellFunction, Crew, Run, Task, play_runs
from sim.processes import ThisProcess, local_processes
from sim.sweep_folder import SweepFolder, parts_path, sweep_folder
from theory.errors import BadInput

_UNKNOWN_WORKERS = 64
"""Taken of an executor that does not say how many workers it has."""
_AHEAD = 2
"""Batches out for each worker: one that it plays, one that waits."""


class FailedCells(UserWarning):
    """Some cells of a sweep have an error in place of results."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a sweep; the message says what is kept and how to go on."""


def sweep(
    cells: Sequence[Parameters],
    function: CellFunction,
    *,
    executor: Executor | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = True,
    retry_failed: bool = False,
    seed: int = 0,
    replicates: int = 1,
    workers: int | None = None,
    common: Collection[str] = (),
    about: Mapping[str, Any] | None = None,
    follow: Callable[[Tally], object] = lambda _: None,
) -> pl.DataFrame:
    """Run `function` in every cell, `replicates` times, each time on a stream of its own.

    One row a cell and replicate, in the order of `cells`: parameters, `replicate` (from 0), what
    the function found, and `error` (null, or why there is nothing). Cells that failed are warned
    of (`FailedCells`).

    `executor` is any of `concurrent.futures`, and stays open; without one, cells run in `workers`
    local processes, or in this one if that is 1 (the default). In other processes the function
    must be at the top level of a module. An executor that does not say how many workers it has is
    told by `workers`.

    `out` is the Parquet file to write, with the sweep's seed and version in its metadata and
    `OUT.manifest.json` beside it (`about`, counts, hash, seconds of each cell). Finished cells are
    kept in `OUT.parts/` until all are: a sweep into an `out` that is there, whole or in parts,
    plays only what is missing, and with `retry_failed` what failed. Without `resume` it discards
    what is there.

    `common` names parameters that stay out of the streams: cells that differ in these alone draw
    the same numbers. `follow` is called with how far the sweep is.
    """
    started = time.perf_counter()
    parameters, runs = _laid_out(cells, replicates)
    crew = _crew(executor, workers, function, len(runs))
    task = Task(function, seed, frozenset(common))
    identity = {
        "seed": str(seed),
        "version": version("bestbefore"),
        "function": _name(function),
        "common": ",".join(sorted(common)),
    }
    path = None if out is None else Path(out)
    with _store(path, identity, resume=resume) as store:
        keeper = Keeper(runs, store, follow, retry_failed=retry_failed)
        with _interrupted(keeper, path):
            play_runs(keeper.missing, task, crew, keeper.collect)
        found, seconds, shapes = keeper.whole()
        frame = pl.concat([parameters, found], how="horizontal")
        if isinstance(store, SweepFolder):
            manifest = {
                **(about or {}),
                **identity,
                "seed": seed,
                "output": str(out),
                "cells": len(cells),
                "replicates": replicates,
                "kept": keeper.tally.kept,
                "failed": keeper.tally.failed,
                "workers": crew.workers,
                "seconds": round(time.perf_counter() - started, 3),
            }
            store.finish(frame, shapes, manifest, seconds)
    _warn(frame)
    return frame


def _laid_out(cells: Sequence[Parameters], replicates: int) -> tuple[pl.DataFrame, list[Run]]:
    """The columns that say what each row is of, and what is to be played for it."""
    if replicates < 1:
        raise BadInput("replicates", replicates, "must be >= 1")
    if not cells:
        raise BadInput("cells", [], "must hold at least one cell")
    check_fits(len(cells) * replicates, len(cells[0]))
    described = pl.DataFrame(columns(cells), height=len(cells))
    for name in described.columns:
        if name in OWN:
            raise BadInput("parameter", name, f"must be none of {', '.join(OWN)}")
    keys: set[bytes] = set()
    runs = []
    for cell in cells:
        for replicate in range(replicates):
            key = cell_key(cell, replicate)
            if key in keys:
                raise BadInput("cells", dict(cell), "must not be repeated (see replicates)")
            keys.add(key)
            runs.append(Run(key, cell, replicate))
    counted = pl.DataFrame({REPLICATE: pl.Series(range(replicates), dtype=pl.Int64)})
    return described.join(counted, how="cross", maintain_order="left_right"), runs


def _crew(
    executor: Executor | None, workers: int | None, function: CellFunction, runs: int
) -> Crew:
    """The executor that is given, or one of our own."""
    if workers is not None and workers < 1:
        raise BadInput("workers", workers, "must be >= 1")
    if executor is not None:
        # The pools of the standard library and mpi4py's know their workers under these names.
        known = getattr(executor, "num_workers", getattr(executor, "_max_workers", None))
        many = workers or known or _UNKNOWN_WORKERS
        return Crew(lambda: nullcontext(executor), many, _AHEAD * many, renewable=False)
    many = min(workers or 1, runs)
    if many == 1:
        return Crew(ThisProcess, 1, 1, renewable=False)
    _check_sendable(function)
    return Crew(lambda: local_processes(many), many, _AHEAD * many, renewable=True)


def _check_sendable(function: CellFunction) -> None:
    try:
        pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        rule = "must be defined at the top level of a module to run in processes"
        raise BadInput("function", function, rule) from error


def _name(function: CellFunction) -> str:
    """The function by its place, and what it was bound to."""
    if isinstance(function, functools.partial):
        bound = [*map(repr, function.args), *(f"{k}={v!r}" for k, v in function.keywords.items())]
        return f"{_name(function.func)}({', '.join(bound)})"
    kind = type(function)
    name = getattr(function, "__qualname__", kind.__qualname__)
    return f"{getattr(function, '__module__', kind.__module__)}.{name}"


def _store(
    path: Path | None, identity: Mapping[str, str], *, resume: bool
) -> AbstractContextManager[Store]:
    return nullcontext(InMemory()) if path is None else sweep_folder(path, identity, resume=resume)


@contextmanager
def _interrupted(keeper: Keeper, path: Path | None) -> Iterator[None]:
    """Keep what is done however the block is left, and say after Ctrl-C how to go on."""
    try:
        try:
            yield
        finally:
            keeper.flush()
    except KeyboardInterrupt as error:
        if path is None:
            raise
        tally = keeper.tally
        raise Interrupted(
            f"interrupted, {tally.done:,} of {tally.total:,} cells are kept in "
            f"{parts_path(path)}: the same sweep again goes on from there"
            if tally.done
            else "interrupted, nothing written"
        ) from error


def _warn(frame: pl.DataFrame) -> None:
    errors = frame[ERROR].drop_nulls()
    if errors.len():
        says = f"{errors.len():,} of {frame.height:,} cells failed, the first with {errors[0]}"
        warnings.warn(says, FailedCells, stacklevel=3)
