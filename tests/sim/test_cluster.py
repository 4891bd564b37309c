"""Sweeps on clusters: the same bytes from Dask and MPI as from one process."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from sim import grid, sweep
from sim.cluster import dask_cluster
from sim.sweep import FailedCells
from theory import BadInput

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # Dask's own and its neighbours'
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def draw(parameters, rng):
    return {"drawn": rng.random()}


def die_at_5(parameters, rng):
    if parameters["a"] == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(parameters, rng)


@pytest.fixture(scope="module")
def scheduler():
    """A cluster of two processes on this machine."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, protocol="tcp"
    ) as cluster:
        yield cluster.scheduler_address


def test_dask_gives_the_same_bytes(scheduler, tmp_path):
    cells = grid(a=range(100))
    sweep(cells, draw, out=tmp_path / "here", replicates=2)
    with dask_cluster(scheduler) as cluster:
        assert cluster.workers == 2
        sweep(
            cells,
            draw,
            out=tmp_path / "there",
            replicates=2,
            executor=cluster.executor,
            workers=cluster.workers,
        )
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


def test_the_command_takes_a_scheduler(scheduler, tmp_path, capsys):
    from reports.cli.main import run

    options = ["sweep", "--hazard", "0.01,0.1", "--gap", "1:9:3", "-o"]
    assert run([*options, str(tmp_path / "here")]) == 0
    assert run([*options, str(tmp_path / "there"), "--scheduler", scheduler]) == 0
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


def test_a_worker_of_dask_that_dies_loses_only_its_own_cell(scheduler):
    with dask_cluster(scheduler) as cluster, pytest.warns(FailedCells, match="1 of 12"):
        frame = sweep(grid(a=range(12)), die_at_5, executor=cluster.executor, workers=2)
    assert frame.filter(pl.col("error").is_not_null())["a"].to_list() == [5]
    assert "KilledWorker" in frame["error"][5]
    assert_frame_equal(
        frame.filter(pl.col("a") != 5), sweep(grid(a=range(12)), draw).filter(pl.col("a") != 5)
    )


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense"])
def test_a_scheduler_that_does_not_answer_is_refused(address, monkeypatch):
    monkeypatch.setattr("sim.cluster.PATIENCE", 0.5)
    with pytest.raises(BadInput, match="scheduler"), dask_cluster(address):
        pass


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadInput, match="extra cluster"), dask_cluster("tcp://127.0.0.1:8786"):
        pass


MPI = Path(__file__).with_name("mpi_sweep.py")


def test_mpi_gives_the_same_bytes(tmp_path):
    """Where mpi4py and a launcher are installed: `mpiexec -n 3 python -m mpi4py.futures ...`."""
    if shutil.which("mpiexec") is None:
        pytest.skip("no mpiexec")
    pytest.importorskip("mpi4py")
    command = ["mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(MPI)]
    subprocess.run([*command, str(tmp_path / "there")], check=True, timeout=120)
    subprocess.run([sys.executable, str(MPI), str(tmp_path / "here"), "alone"], check=True)
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()
