"""The axes of `bestbefore sweep`: every parameter of every experiment, and what is refused."""

import inspect
import json

import polars as pl
import pytest

from reports.cli.main import run
from reports.cli.sweep import EXPERIMENTS
from reports.cli.sweep_axes import AXES
from sim.episode_cell import _own
from sim.streams import STREAMS
from sim.swept import SWEPT


def sweep(path, *options):
    return run(["sweep", "-o", str(path), *options])


def test_the_command_names_every_experiment():
    assert tuple(SWEPT) == EXPERIMENTS


def test_every_axis_of_an_experiment_is_an_option():
    options = {axis.name for axis in AXES}
    for swept in SWEPT.values():
        parameters = inspect.signature(swept.cells).parameters.values()
        assert {it.name for it in parameters if it.kind is it.KEYWORD_ONLY} <= options
    for stream in STREAMS:
        assert set(_own(stream)) <= options


def test_a_factorisation_is_swept_over_router_and_judge(tmp_path, capsys):
    axes = ["--hazard", "0.01,0.1", "--recall", "0:1:3", "--keep", "90%", "--lapse", "0.05"]
    options = ["--experiment", "factorisation", *axes, "--decisions", "1e3"]
    assert sweep(tmp_path / "a", *options, "--json") == 0
    manifest = json.loads(capsys.readouterr().out)
    assert (manifest["experiment"], manifest["cells"]) == ("factorisation", 6)
    frame = pl.read_parquet(tmp_path / "a")
    assert frame["recall"].to_list() == [0.0, 0.5, 1.0] * 2
    assert set(frame["K"]) == {0.9}
    assert frame.group_by("hazard").agg(pl.col("standing").n_unique())["standing"].to_list() == [
        1,
        1,
    ]
    assert sweep(tmp_path / "a", *options) == 0
    assert "6 cells x 1,000 decisions" in capsys.readouterr().out


def test_episodes_are_swept_by_name(tmp_path, capsys):
    axes = ["--stream", "direct,stress", "--router", "none, decisive", "--judge", "perfect"]
    assert sweep(tmp_path / "a", "--experiment", "episode", *axes, "--window", "1d") == 0
    said = capsys.readouterr().out
    assert "4 cells in" in said  # the streams have decisions of different number
    assert "limits" not in said
    frame = pl.read_parquet(tmp_path / "a")
    assert frame["router"].to_list() == ["none", "decisive"] * 2
    assert frame.filter(router="decisive")["accuracy"].to_list() == [1.0, 1.0]


def test_a_precision_is_reached_and_what_it_took_is_told(tmp_path, capsys):
    axes = ["--hazard", "0.001,0.03", "--precision", "0.01", "--alpha", "1%"]
    assert sweep(tmp_path / "a", *axes) == 0
    frame = pl.read_parquet(tmp_path / "a")
    assert (frame["half_width"] <= 0.01).all()
    assert frame["decisions"].n_unique() == 2
    said = capsys.readouterr().out
    assert f"2 cells, {frame['decisions'].sum():,} decisions in" in said
    assert "gave up" not in said
    assert sweep(tmp_path / "b", *axes, "--most", "2000") == 0
    assert "2 gave up before they were precise" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--recall", "1"], "--recall is no axis of ceiling, which takes --hazard, --gap"),
        (["--experiment", "factorisation", "--router", "none"], "--router is no axis of"),
        (["--experiment", "factorisation", "--recall", "120%"], "--recall(=120%) must be between"),
        (["--experiment", "factorisation", "--keep", "x"], "--keep(=x) must be a share"),
        (["--experiment", "episode", "--hazard", "0.1"], "is no parameter of indirect"),
        (["--experiment", "episode", "--router", "nonesuch"], "router(=nonesuch) must be one of"),
        (["--experiment", "nonesuch"], "nonesuch"),
        (["--precision", "0.01", "--decisions", "5"], "decisions(=[5]) must not be given with"),
        (["--alpha", "0.05"], "alpha(=[0.05]) must come with a precision"),
        (["--experiment", "episode", "--precision", "0.01"], "precision"),
        (["--decisions", "0.5"], "--decisions(=0.5) must be a whole number"),
        (["--decisions", "1:4:3"], "--decisions(=1:4:3) must be whole"),
    ],
)
def test_axes_that_cannot_be_are_refused_in_one_line(tmp_path, capsys, options, says):
    assert sweep(tmp_path / "a", *options) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert captured.err.count("\n") == 1
    assert not list(tmp_path.iterdir())
