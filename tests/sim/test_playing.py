"""Cells on executors: any of them, bounded in what is out at a time, and workers that die."""

import multiprocessing
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import ProcessPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from sim import grid, sweep
from sim.sweep import FailedCells
from theory import BadInput


def draw(parameters, rng):
    return {"drawn": rng.random()}


def die_at_5(parameters, rng):
    if parameters["a"] == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(parameters, rng)


def die_once(parameters, rng):
    """Ends its worker the first time that the cell is played."""
    mark = Path(parameters["folder"]) / str(parameters["a"])
    if parameters["a"] % 4 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(parameters, rng)


def leave(parameters, rng):
    raise SystemExit(3)


def test_a_worker_that_dies_loses_only_its_own_cell():
    with pytest.warns(FailedCells, match="1 of 40 cells failed, the first with WorkerDied"):
        frame = sweep(grid(a=range(40)), die_at_5, workers=2)
    assert frame.filter(pl.col("error").is_not_null())["a"].to_list() == [5]
    whole = sweep(grid(a=range(40)), draw)
    alive = pl.col("a") != 5
    assert_frame_equal(frame.filter(alive), whole.filter(alive))
    assert not multiprocessing.active_children()


def test_cells_whose_worker_died_by_chance_are_played_again(tmp_path):
    cells = grid(a=range(9), folder=str(tmp_path))
    assert_frame_equal(sweep(cells, die_once, workers=2), sweep(cells, draw))
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cell_that_leaves_the_interpreter_is_an_error_like_others(workers):
    with pytest.warns(FailedCells):
        frame = sweep(grid(a=range(3)), leave, workers=workers)
    assert frame["error"].to_list() == ["SystemExit: 3"] * 3


def test_any_executor_gives_the_same_rows():
    cells = grid(a=range(50))
    alone = sweep(cells, draw, replicates=2)
    with ThreadPoolExecutor(3) as threads:
        assert_frame_equal(sweep(cells, draw, replicates=2, executor=threads), alone)
        threads.submit(int).result()  # it stays open
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:
        assert_frame_equal(sweep(cells, draw, replicates=2, executor=processes), alone)


def test_an_executor_of_somebody_else_that_breaks_ends_the_sweep_and_what_is_done_is_kept(tmp_path):
    out = tmp_path / "a"
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as processes, pytest.raises(BrokenExecutor):
        sweep(grid(a=range(8)), die_at_5, out=out, executor=processes)
    tallies = []
    with pytest.warns(FailedCells, match="1 of 8"):
        sweep(grid(a=range(8)), die_at_5, out=out, workers=2, follow=tallies.append)
    assert tallies[0].kept > 0


class Counting(Executor):
    """Runs each batch on a thread of its own, and counts how many are out at a time."""

    num_workers = 3

    def __init__(self):
        self.out = self.most = self.batches = 0
        self.lock = threading.Lock()

    def submit(self, function, /, *arguments):
        future = Future()
        with self.lock:
            self.out += 1
            self.batches += 1
            self.most = max(self.most, self.out)

        def run():
            result = function(*arguments)
            with self.lock:
                self.out -= 1
            future.set_result(result)

        threading.Thread(target=run).start()
        return future


def test_few_batches_are_out_at_a_time():
    counting = Counting()
    sweep(grid(a=range(5_000)), draw, executor=counting)
    assert counting.most <= 2 * Counting.num_workers
    assert counting.batches < 1_000  # cells of no time go out together


class Cancelling(Executor):
    """A cluster that goes away."""

    def submit(self, function, /, *arguments):
        future = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


class Refusing(Executor):
    """Blames each batch for an error of its own, as Dask does for one that kills workers."""

    def submit(self, function, task, runs):
        future = Future()
        if any(run.parameters["a"] == 3 for run in runs):
            future.set_exception(RuntimeError("killed\nworkers"))
        else:
            future.set_result(function(task, runs))
        return future


def test_a_cluster_that_cancels_work_counts_as_broken():
    with pytest.raises(BrokenExecutor, match="cancelled"):
        sweep(grid(a=range(3)), draw, executor=Cancelling())


def test_an_error_of_one_batch_is_blamed_on_one_of_its_cells():
    with pytest.warns(FailedCells):
        frame = sweep(grid(a=range(2_000)), draw, executor=Refusing())
    assert frame.filter(pl.col("error").is_not_null())["a"].to_list() == [3]
    assert frame["error"][3] == "RuntimeError: killed workers"


def test_workers_that_cannot_start_are_told_of_at_once(monkeypatch):
    monkeypatch.setattr("sim.processes._end_with_parent", leave_at_once)
    with pytest.raises(BadInput, match="died as they started"):
        sweep(grid(a=range(3)), draw, workers=2)
    assert not multiprocessing.active_children()


def leave_at_once():
    os._exit(1)
