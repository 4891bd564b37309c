"""What a sweep keeps: it can end at any moment, and the same sweep goes on to the same bytes."""

import errno
import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from sim import grid, sweep
from sim.sweep import FailedCells, Interrupted
from theory import BadInput

CELLS = grid(a=range(4), b=["x", "y"])


def draw(parameters, rng):
    return {"drawn": rng.random(), "n": int(rng.integers(100)), "text": parameters["b"] * 2}


def uneven(parameters, rng):
    """Other results in other cells, and whole numbers in some."""
    if parameters["a"] == 0:
        return {}
    if parameters["a"] == 1:
        return {"late": 1, "early": rng.random()}
    return {"early": 2, "late": rng.random(), "text": "x"}


def read(out):
    return Path(out).read_bytes()


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def at_once(monkeypatch):
    """Every outcome is kept at once."""
    monkeypatch.setattr("sim.keeping.SHORTEST_WAIT", 0.0)
    monkeypatch.setattr("sim.keeping.WAIT_SHARE", 0.0)
    monkeypatch.setattr("sim.playing.BATCH_SECONDS", 0.0)


class Stop(BaseException):
    """As if the process had been killed."""


def stopping(function, after):
    """The function, which stops the whole sweep in a cell once it was called so often."""
    calls = iter(range(after))

    def stops(parameters, rng):
        if next(calls, None) is None:
            raise Stop
        return function(parameters, rng)

    stops.__module__, stops.__qualname__ = function.__module__, function.__qualname__
    return stops


def test_a_sweep_leaves_its_file_and_a_manifest_and_nothing_else(tmp_path):
    frame = sweep(CELLS, draw, out=tmp_path / "a.parquet", seed=3, about={"command": "by hand"})
    assert files(tmp_path) == ["a.parquet", "a.parquet.manifest.json"]
    assert_frame_equal(pl.read_parquet(tmp_path / "a.parquet"), frame)
    assert_frame_equal(sweep(CELLS, draw, seed=3), frame)
    manifest = json.loads((tmp_path / "a.parquet.manifest.json").read_text())
    assert manifest["command"] == "by hand"
    assert manifest["seed"] == 3
    assert (manifest["cells"], manifest["kept"], manifest["failed"]) == (8, 0, 0)
    assert len(manifest["cell_seconds"]) == 8
    assert all(seconds >= 0 for seconds in manifest["cell_seconds"])


@pytest.mark.parametrize("function", [draw, uneven])
def test_a_sweep_resumes_from_any_number_of_finished_cells_with_the_same_bytes(
    tmp_path, at_once, function
):
    sweep(CELLS, function, out=tmp_path / "whole.parquet")
    for done in range(len(CELLS)):
        out = tmp_path / f"{done}.parquet"
        with pytest.raises(Stop):
            sweep(CELLS, stopping(function, done), out=out)
        tallies = []
        sweep(CELLS, function, out=out, follow=tallies.append)
        assert tallies[0].kept == done
        assert read(out) == read(tmp_path / "whole.parquet")


@settings(max_examples=25)
@given(st.permutations(range(8)), st.lists(st.integers(1, 8), max_size=3))
def test_cells_may_be_added_and_turned_round_before_a_sweep_goes_on(tmp_path_factory, order, some):
    """Some cells are swept, then more, then all in another order: the bytes are those of a sweep
    that knew them all from the start.
    """
    folder = tmp_path_factory.mktemp("grown")
    cells = [CELLS[index] for index in order]
    for number in sorted(some):
        sweep([*reversed(cells[:number])], uneven, out=folder / "grown")
    sweep(cells, uneven, out=folder / "grown")
    sweep(cells, uneven, out=folder / "whole")
    assert read(folder / "grown") == read(folder / "whole")


def test_seconds_of_cells_survive_their_sweep_s_growth(tmp_path):
    out = tmp_path / "a"

    def seconds():
        return json.loads((tmp_path / "a.manifest.json").read_text())["cell_seconds"]

    sweep(CELLS[:5], draw, out=out)
    first = seconds()
    sweep(CELLS, draw, out=out)
    assert seconds()[:5] == first
    (tmp_path / "a.manifest.json").write_text("{}")
    sweep(CELLS, draw, out=out)
    assert seconds() == [None] * 8


class FileSystem:
    """Counts what changes files; from some call on nothing works, as if the process were gone."""

    CALLS = ("replace", "unlink", "rmdir", "mkdir")

    def __init__(self, monkeypatch, dies_at):
        self.left = dies_at
        self.dead = False
        for name in self.CALLS:
            monkeypatch.setattr(Path, name, self.guarded(getattr(Path, name)))
        monkeypatch.setattr(os, "fsync", self.guarded(lambda handle: None))

    def guarded(self, call):
        def guarded(*arguments, **options):
            self.left -= 1
            self.dead |= self.left < 0
            if self.dead:
                raise Stop
            return call(*arguments, **options)

        return guarded


def test_a_sweep_that_dies_at_any_change_of_its_files_resumes_with_the_same_bytes(
    tmp_path, monkeypatch, at_once
):
    cells = CELLS[:3]
    sweep(cells, draw, out=tmp_path / "whole.parquet")
    dies_at, alive = 0, False
    while not alive:
        folder = tmp_path / f"dies at {dies_at}"
        folder.mkdir()
        out = folder / "a.parquet"
        with monkeypatch.context() as patched:
            system = FileSystem(patched, dies_at)
            try:
                sweep(cells, draw, out=out)
            except Stop:
                pass
            else:
                alive = not system.dead
        sweep(cells, draw, out=out)
        assert read(out) == read(tmp_path / "whole.parquet")
        assert files(folder) == ["a.parquet", "a.parquet.manifest.json"]
        dies_at += 1
    assert dies_at > 20


def kill_at(moment, folder):
    """Start the sweep of `killed_sweep.py` and kill it after so many seconds; whether it ended."""
    started = subprocess.Popen([sys.executable, str(KILLED), str(folder / "a.parquet")])
    try:
        started.wait(moment)
    except subprocess.TimeoutExpired:
        started.kill()
        started.wait()
        return False
    assert started.returncode == 0
    return True


KILLED = Path(__file__).with_name("killed_sweep.py")
MOMENTS, FEW = 50, 5


@pytest.mark.full
def test_a_sweep_killed_at_random_moments_resumes_with_the_same_bytes(tmp_path, full):
    """SIGKILL, again and again until one run gets to its end; 50 moments in full, else five."""
    started = time.monotonic()
    (tmp_path / "whole").mkdir()
    assert kill_at(120, tmp_path / "whole")
    whole = time.monotonic() - started
    rng = np.random.default_rng(8)
    for moment in range(MOMENTS if full else FEW):
        folder = tmp_path / str(moment)
        folder.mkdir()
        kill_at(rng.uniform(0.3, 1.0) * whole, folder)
        kill_at(rng.uniform(0.3, 1.0) * whole, folder)
        assert kill_at(120, folder)
        assert read(folder / "a.parquet") == read(tmp_path / "whole" / "a.parquet")
        assert files(folder) == ["a.parquet", "a.parquet.manifest.json"]


def test_a_second_sweep_into_the_same_file_is_refused(tmp_path):
    out = tmp_path / "a.parquet"

    def sweeps_too(parameters, rng):
        with pytest.raises(BadInput, match="is being written by another sweep"):
            sweep(CELLS, draw, out=out)
        return {"x": 1}

    assert sweep(CELLS[:2], sweeps_too, out=out)["error"].null_count() == 2


def test_the_lock_of_a_sweep_that_is_gone_stands_in_nobody_s_way(tmp_path):
    (tmp_path / "a.parquet.parts").mkdir()
    (tmp_path / "a.parquet.parts" / "lock").touch()
    sweep(CELLS, draw, out=tmp_path / "a.parquet")
    assert files(tmp_path) == ["a.parquet", "a.parquet.manifest.json"]


def test_a_lock_that_was_removed_while_it_was_taken_does_not_count(tmp_path, monkeypatch):
    """The sweep before us ends, and removes its lock, between our opening of it and our locking."""
    locks = []
    lock = tmp_path / "a.parquet.parts" / "lock"

    def flock(handle, how):
        if not locks:
            lock.unlink()
        locks.append(handle)

    monkeypatch.setattr(fcntl, "flock", flock)
    sweep(CELLS, draw, out=tmp_path / "a.parquet")
    assert len(locks) == 2


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(tmp_path):
    def interrupted(parameters, rng):
        if parameters["a"] == 2:
            raise KeyboardInterrupt
        return draw(parameters, rng)

    interrupted.__module__, interrupted.__qualname__ = draw.__module__, draw.__qualname__
    with pytest.raises(Interrupted, match=r"interrupted, \d of 8 cells are kept in .*a.parts"):
        sweep(CELLS, interrupted, out=tmp_path / "a")
    sweep(CELLS, draw, out=tmp_path / "a")
    sweep(CELLS, draw, out=tmp_path / "b")
    assert read(tmp_path / "a") == read(tmp_path / "b")
    with pytest.raises(KeyboardInterrupt):
        sweep(CELLS, interrupted)


def test_a_full_disk_stops_a_sweep_with_a_clear_word_and_it_goes_on_later(
    tmp_path, monkeypatch, at_once
):
    sweep(CELLS, draw, out=tmp_path / "whole")
    room = iter(range(7))  # the mark and three parts, in two calls each: none for the last rename

    def full(path, target, replace=Path.replace):
        if next(room, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(BadInput, match="could not be written: No space left on device"):
            sweep(CELLS, draw, out=tmp_path / "a")
    assert len(list((tmp_path / "a.parts").glob("0*.parquet"))) == 6
    tallies = []
    sweep(CELLS, draw, out=tmp_path / "a", follow=tallies.append)
    assert tallies[0].kept == 6
    assert read(tmp_path / "a") == read(tmp_path / "whole")


def test_cells_that_failed_are_played_again_only_when_asked(tmp_path):
    broken = True

    def fragile(parameters, rng):
        if broken and parameters["a"] == 1:
            raise OSError("the network is down")
        return draw(parameters, rng)

    fragile.__module__, fragile.__qualname__ = draw.__module__, draw.__qualname__
    with pytest.warns(FailedCells):
        sweep(CELLS, fragile, out=tmp_path / "a")
    broken = False
    with pytest.warns(FailedCells):
        frame = sweep(CELLS, fragile, out=tmp_path / "a")
    assert frame["error"].drop_nulls().to_list() == ["OSError: the network is down"] * 2
    frame = sweep(CELLS, fragile, out=tmp_path / "a", retry_failed=True)
    assert frame["error"].null_count() == 8
    sweep(CELLS, draw, out=tmp_path / "b")
    assert read(tmp_path / "a") == read(tmp_path / "b")


@pytest.mark.parametrize("whole", [True, False])
def test_a_sweep_of_another_kind_is_refused_until_it_is_to_be_fresh(tmp_path, at_once, whole):
    out = tmp_path / "a"
    if whole:
        sweep(CELLS, draw, out=out)
    else:
        with pytest.raises(Stop):
            sweep(CELLS, stopping(draw, 3), out=out)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for how, message in (
        ({"seed": 1}, "another seed, 0, not 1"),
        ({"function": uneven}, "another function"),
        ({"common": ["b"]}, "another common"),
        ({"cells": CELLS[3:]}, "are not in this grid"),
    ):
        with pytest.raises(BadInput, match=message):
            sweep(**{"cells": CELLS, "function": draw, **how}, out=out)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    tallies = []
    sweep(CELLS, draw, out=out, seed=1, resume=False, follow=tallies.append)
    assert tallies[0].kept == 0
    assert pl.read_parquet_metadata(out)["seed"] == "1"


def test_files_that_no_sweep_wrote_are_refused(tmp_path, at_once):
    (tmp_path / "text").write_text("a,b\n")
    pl.DataFrame(CELLS).write_parquet(tmp_path / "frame")
    (tmp_path / "taken.parts").write_text("")
    (tmp_path / "folder").mkdir()
    for name in ("text", "frame", "taken", "folder", "missing/a"):
        with pytest.raises(BadInput, match="output"):
            sweep(CELLS, draw, out=tmp_path / name)
    with pytest.raises(Stop):
        sweep(CELLS, stopping(draw, 3), out=tmp_path / "a")
    part = tmp_path / "a.parts" / "00000002.parquet"
    part.write_bytes(part.read_bytes()[:100])
    with pytest.raises(BadInput, match=r"00000002.parquet.*is damaged: remove it"):
        sweep(CELLS, draw, out=tmp_path / "a")
    part.unlink()
    sweep(CELLS, draw, out=tmp_path / "a")
