"""Cells played on any executor, in batches: a worker that dies loses no cell but its own.

Only so many batches are out at a time, so that memory does not grow with the grid. When an executor
breaks, as a pool of processes does when one of them dies, any cell that was out may be to blame. It
is opened anew, and what was out is played again with nothing beside it, first as batches, then cell
by cell. A cell that breaks the executor again and again while alone is given up.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager
from typing import NamedTuple, TypeAlias

import numpy as np

from sim.cells import Parameters, cell_rng
from sim.outcomes import Outcome, Row, checked, failure

CellFunction: TypeAlias = Callable[[Parameters, np.random.Generator], Row]
"""What a sweep runs in each cell: from parameters and a stream to named results."""

TRIES = 2
"""How often a cell may end its worker, with nothing beside it, before it is given up."""
BATCH_SECONDS = 0.25
"""About how long a batch takes: long beside the cost of sending it, short for who waits."""
MOST_PER_BATCH = 1_000
HEARTBEAT = 0.5
"""Seconds. A wait without a limit would be deaf to Ctrl-C once Polars is loaded."""


class Run(NamedTuple):
    """A cell to play."""

    key: bytes
    """Its `cell_key`."""
    parameters: Parameters
    replicate: int


class Task(NamedTuple):
    """What is played in every cell; it is sent to workers, so it must pickle."""

    function: CellFunction
    seed: int
    common: frozenset[str]
    """Parameters that stay out of a cell's stream: cells that differ in them alone share one."""


Collect: TypeAlias = Callable[[Mapping[bytes, Outcome]], object]
"""Takes in outcomes by key; called with none from time to time."""


class Crew(NamedTuple):
    """Who plays."""

    open: Callable[[], AbstractContextManager[Executor]]
    """Opens an executor."""
    workers: int
    """How many work at once, about."""
    at_once: int
    """How many batches may be out."""
    renewable: bool
    """Whether another executor can be opened when one breaks."""


def play_runs(runs: Sequence[Run], task: Task, crew: Crew, collect: Collect) -> None:
    """Play every run; `collect` is called with outcomes as they come, in any order."""
    work = _Work(runs, crew)
    while work.left:
        with crew.open() as executor:
            broken = _play_on(executor, task, work, collect)
            if broken is not None and not crew.renewable:
                raise broken


def play(task: Task, runs: Sequence[Run]) -> list[Outcome]:
    """Play a batch, in a worker; what a cell raises is its outcome."""
    return [_play_one(task, run) for run in runs]


def _play_one(task: Task, run: Run) -> Outcome:
    drawn = {name: it for name, it in run.parameters.items() if name not in task.common}
    started = time.perf_counter()
    try:
        rng = cell_rng(task.seed, drawn, run.replicate)
        results = checked(task.function(run.parameters, rng), run.parameters)
        error = None
    except (Exception, SystemExit) as raised:  # noqa: BLE001 (one cell must not stop the others)
        results, error = {}, failure(raised)
    return Outcome(results, error, time.perf_counter() - started)


Batch: TypeAlias = Sequence[Run]


class _Work:
    """What is left to play, and what may have broken an executor."""

    def __init__(self, runs: Sequence[Run], crew: Crew) -> None:
        self._runs = runs
        self._next = 0
        self._crew = crew
        self._suspects: deque[Batch] = deque()
        self._deaths: Counter[bytes] = Counter()
        self._seconds = self._timed = 0.0

    @property
    def left(self) -> bool:
        return self._next < len(self._runs) or bool(self._suspects)

    def take(self, out: int) -> Batch | None:
        """The next batch to send while so many are out; None: wait. Suspects go alone."""
        if self._suspects:
            return None if out else self._suspects.popleft()
        if out >= self._crew.at_once or self._next >= len(self._runs):
            return None
        start, self._next = self._next, self._next + self._size()
        return self._runs[start : self._next]

    def took(self, outcomes: Sequence[Outcome]) -> None:
        """Learn how long cells take."""
        self._seconds += sum(outcome.seconds or 0.0 for outcome in outcomes)
        self._timed += len(outcomes)

    def suspect(self, batches: Sequence[Batch]) -> None:
        """Play these again, each with nothing beside it."""
        self._suspects.extend(batches)

    def blame(self, batch: Batch) -> Run | None:
        """Of a batch that was alone when its worker died: the cell to give up, if it is found."""
        if len(batch) > 1:
            self._suspects.extendleft([run] for run in reversed(batch))
            return None
        [run] = batch
        self._deaths[run.key] += 1
        if self._deaths[run.key] >= TRIES:
            return run
        self._suspects.appendleft(batch)
        return None

    def _size(self) -> int:
        """Cells of the next batch, by the time that they took so far; fewer towards the end."""
        if not self._timed:
            return 1
        each = max(self._seconds / self._timed, BATCH_SECONDS / MOST_PER_BATCH)
        share = (len(self._runs) - self._next) / (4 * self._crew.workers)
        return max(1, int(min(BATCH_SECONDS / each, share)))


Out: TypeAlias = dict[Future[list[Outcome]], Batch]
"""What was sent out and has not come back."""


def _play_on(
    executor: Executor, task: Task, work: _Work, collect: Collect
) -> BrokenExecutor | None:
    """Play until nothing is left, or until the executor breaks; then what it broke with."""
    out: Out = {}
    try:
        while True:
            broken = _send(executor, task, work, out)
            if out:
                broken = _receive(work, out, collect) or broken
            if broken is not None or not (out or work.left):
                return broken
    finally:
        for future in out:
            future.cancel()


def _send(executor: Executor, task: Task, work: _Work, out: Out) -> BrokenExecutor | None:
    """Send out what may be out now."""
    while (batch := work.take(len(out))) is not None:
        try:
            out[executor.submit(play, task, batch)] = batch
        except BrokenExecutor as error:
            work.suspect([batch])
            return error
    return None


def _receive(work: _Work, out: Out, collect: Collect) -> BrokenExecutor | None:
    """Wait for some of what is out, and collect it."""
    done, _ = wait(out, timeout=HEARTBEAT, return_when=FIRST_COMPLETED)
    alone = len(out) == 1
    broken = None
    lost: list[Batch] = []
    outcomes: dict[bytes, Outcome] = {}
    for future in done:
        batch = out.pop(future)
        error = _error_of(future)
        if error is None:
            played = future.result()
            work.took(played)
            outcomes |= zip((run.key for run in batch), played, strict=True)
            continue
        if isinstance(error, BrokenExecutor):
            broken = error
            if not alone:
                lost.append(batch)
                continue
        given_up = work.blame(batch)
        if given_up is not None:
            outcomes[given_up.key] = Outcome({}, _why(error), None)
    if broken is not None:
        work.suspect([*lost, *out.values()])
    collect(outcomes)
    return broken


def _error_of(future: Future[list[Outcome]]) -> BaseException | None:
    """Why a batch has no outcomes, if it has none. Who cancels our work will do no more of it."""
    return BrokenExecutor("it cancelled work") if future.cancelled() else future.exception()


def _why(error: BaseException) -> str:
    if isinstance(error, BrokenExecutor):
        return f"WorkerDied: its worker died, {TRIES} times of {TRIES}"
    return failure(error)
