"""`bestbefore sweep`: the file, its manifest, what is refused, and how it ends when interrupted."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from reports.cli.main import run
from sim.swept import SWEPT

GRID = ["--hazard", "0.001:0.1:3:log", "--gap", "1h,2d", "--decisions", "500", "--seed", "7"]


def sweep(path, *options):
    return run(["sweep", *GRID, "-o", str(path), *options])


def test_rows_come_in_the_grid_s_order_with_all_parameters(tmp_path, capsys):
    assert sweep(tmp_path / "a.parquet", "--freshness", "0,12h", "--replicates", "2") == 0
    frame = pl.read_parquet(tmp_path / "a.parquet")
    assert frame.columns == [
        *("hazard", "gap", "freshness", "window", "decisions", "replicate"),
        *("predicted", "ceiling", "stale", "recoverable", "late", "safe", "share", "low", "high"),
        "error",
    ]
    assert frame["hazard"].to_list() == [0.001] * 8 + [0.01] * 8 + [0.1] * 8
    assert frame["gap"].to_list() == ([1.0] * 4 + [48.0] * 4) * 3
    assert frame["freshness"].to_list() == [0.0, 0.0, 12.0, 12.0] * 6
    assert frame["replicate"].to_list() == [0, 1] * 12
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'a.parquet'}: 12 cells x 1,000 ")


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_workers(tmp_path):
    for name, options in (("one", ["--workers", "1"]), ("four", ["--workers", "4"]), ("plain", [])):
        assert sweep(tmp_path / name, *options) == 0
    assert sweep(tmp_path / "other", "--seed", "8") == 0
    one, four, plain, other = (
        (tmp_path / name).read_bytes() for name in ("one", "four", "plain", "other")
    )
    assert one == four == plain
    assert one != other


def test_a_cell_s_row_stays_when_cells_are_added_and_turned_round(tmp_path):
    assert sweep(tmp_path / "few") == 0
    more = ["--hazard", "0.1,0.5,0.01,0.001", "--gap", "2d,3h,1h"]
    assert run(["sweep", *GRID, *more, "-o", str(tmp_path / "more")]) == 0
    few, many = (pl.read_parquet(tmp_path / name).drop("error") for name in ("few", "more"))
    assert few.join(many, on=few.columns, how="semi").height == few.height == 6


def test_the_manifest_says_what_was_run_and_hashes_the_file(tmp_path, capsys):
    out = tmp_path / "a.parquet"
    assert sweep(out, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    manifest = json.loads((tmp_path / "a.parquet.manifest.json").read_text())
    assert len(manifest.pop("cell_seconds")) == 6
    assert 0 <= printed.pop("outside_limits") <= 6
    assert printed == manifest
    assert manifest["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert manifest["command"] == f"bestbefore sweep {' '.join(GRID)} -o {out} --json"
    assert manifest["seed"] == 7
    assert (manifest["cells"], manifest["replicates"], manifest["decisions"]) == (6, 1, 500)
    assert manifest["seconds"] > 0
    assert {"bestbefore", "python", "numpy", "polars"} <= set(manifest["versions"])


def test_the_file_itself_says_seed_and_version(tmp_path):
    assert sweep(tmp_path / "a.parquet") == 0
    metadata = pl.read_parquet_metadata(tmp_path / "a.parquet")
    assert metadata["seed"] == "7"
    assert metadata["version"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--hazard", "-0.1"], "hazard"),
        (["--hazard", "nan"], "--hazard"),
        (["--hazard", "0.1/y"], "--hazard"),
        (["--hazard", "0.1,0.1"], "hazard"),
        (["--hazard", "0:0.1:5:log"], "--hazard"),
        (["--hazard", ""], "--hazard"),
        (["--gap", "0"], "gap"),
        (["--gap", "1h:10x:5"], "--gap"),
        (["--gap", "1:2:1"], "--gap"),
        (["--gap", "1:2:1000000000000000"], "grid"),
        (["--gap", "1:2:100000", "--hazard", "1:2:100000"], "grid"),
        (["--replicates", "1000000000000"], "grid"),
        (["--freshness", "-1h"], "freshness"),
        (["--window", "0"], "window"),
        (["--window", "2h"], "window"),
        (["--decisions", "0"], "--decisions"),
        (["--workers", "0"], "--workers"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_bad_input_ends_with_one_line_and_nothing_written(tmp_path, capsys, options, named):
    assert sweep(tmp_path / "a.parquet", *options) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("bestbefore: ")
    assert named in captured.err
    assert captured.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("output", ["missing/a.parquet", "."])
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    tmp_path, capsys, monkeypatch, output
):
    monkeypatch.setattr("sim.playing._play_on", None)
    assert sweep(tmp_path / output) == 2
    assert "output(=" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_manifest_that_cannot_be_written_leaves_no_file(tmp_path, capsys):
    (tmp_path / "a.parquet.manifest.json").mkdir()
    assert sweep(tmp_path / "a.parquet") == 2
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet.manifest.json"]


def alive(group):
    """Processes of a group that have not ended, with those that wait to be reaped left out."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, process_group = stat.read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(process_group) == group and state != "Z":
            found.append(stat.parent.name)
    return found


def until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def start(folder, *options):
    """A sweep in a process of its own, and of its own group."""
    command = [str(Path(sys.executable).with_name("bestbefore")), "sweep", "-o", "a.parquet"]
    return subprocess.Popen(
        [*command, *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.fixture
def endless(tmp_path):
    """A sweep of hours in two workers, in a process group of its own, once they are at work."""
    options = ["--hazard", "0.01:0.1:50", "--gap", "1:9:99", "--workers", "2"]
    started = start(tmp_path, *options, "--decisions", "900000000")
    try:
        until(lambda: len(alive(started.pid)) >= 4)  # itself, two workers, Python's tracker
        time.sleep(1.0)
        yield started
    finally:
        if alive(started.pid):
            os.killpg(started.pid, signal.SIGKILL)
        started.communicate()


def test_ctrl_c_ends_a_sweep_and_its_workers_with_one_line(endless, tmp_path):
    os.killpg(endless.pid, signal.SIGINT)
    out, err = endless.communicate(timeout=60)
    assert endless.returncode == 130
    assert out == ""
    assert err.strip() == "bestbefore: interrupted, nothing written"
    until(lambda: not alive(endless.pid))
    assert not list(tmp_path.iterdir())


def test_workers_do_not_outlive_a_sweep_that_is_killed(endless, tmp_path):
    endless.kill()
    endless.wait()
    until(lambda: not alive(endless.pid))
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet.parts"]


MANY = ["--hazard", "0.01:0.1:20", "--gap", "1:9:20", "--decisions", "2000000"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path, workers):
    options = [*MANY, "--workers", workers]
    stopped = start(tmp_path, *options)
    until(lambda: list(tmp_path.glob("a.parquet.parts/0*.parquet")))
    os.killpg(stopped.pid, signal.SIGINT)
    out, err = stopped.communicate(timeout=60)
    assert stopped.returncode == 130
    assert out == ""
    assert re.fullmatch(
        r"bestbefore: interrupted, \d+ of 400 cells are kept in a.parquet.parts: "
        r"the same sweep again goes on from there\n",
        err,
    )
    until(lambda: not alive(stopped.pid))
    resumed = start(tmp_path, *options, "--json")
    out, _ = resumed.communicate(timeout=300)
    assert json.loads(out)["kept"] >= int(re.search(r"(\d+) of", err)[1])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.parquet",
        "a.parquet.manifest.json",
    ]


def test_a_finished_sweep_is_not_played_again_unless_it_is_to_be_fresh(tmp_path, capsys):
    out = tmp_path / "a.parquet"
    assert sweep(out) == 0
    first = out.read_bytes()
    capsys.readouterr()
    for options, kept in (([], 6), (["--fresh"], 0)):
        assert sweep(out, "--json", *options) == 0
        assert json.loads(capsys.readouterr().out)["kept"] == kept
        assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--seed", "8"], "another seed, 7, not 8"),
        (["--gap", "1h"], "3 finished cells"),
        (["--decisions", "501"], "6 finished cells"),
    ],
)
def test_another_sweep_does_not_take_the_place_of_a_finished_one(tmp_path, capsys, options, says):
    out = tmp_path / "a.parquet"
    assert sweep(out) == 0
    first = out.read_bytes()
    assert sweep(out, *options) == 2
    assert says in capsys.readouterr().err
    assert out.read_bytes() == first
    assert sweep(out, *options, "--fresh") == 0


def test_cells_that_failed_are_told_of_and_can_be_tried_again(tmp_path, capsys, monkeypatch):
    def fails(parameters, rng):
        raise ValueError("no luck")

    fails.__module__, fails.__qualname__ = "sim.ceiling_cell", "ceiling_cell"
    with monkeypatch.context() as patched:
        patched.setitem(SWEPT, "ceiling", replace(SWEPT["ceiling"], function=fails))
        assert sweep(tmp_path / "a.parquet", "--workers", "1") == 1
    assert capsys.readouterr().err == (
        "bestbefore: 6 of 6 cells failed, the first with ValueError: no luck"
        " (--retry-failed plays them again)\n"
    )
    assert sweep(tmp_path / "a.parquet", "--retry-failed") == 0
    assert sweep(tmp_path / "b.parquet") == 0
    one, other = ((tmp_path / name).read_bytes() for name in ("a.parquet", "b.parquet"))
    assert one == other
