"""Experiments from files, in one go, taken up again and added to."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from reports.cli.main import run
from reports.run_folder import read_run
from reports.study_file import DEFAULT, read_study
from reports.study_run import run_study
from sim import study as study_module
from sim.asking import Asking
from sim.runs import run as run_stream
from sim.streams import indirect, make_stream, write_stream
from sim.study import Study, play

SMALL = """
streams = ["mine", "other"]
routers = ["none", "bm25-text"]
judges = ["rules", "weak"]
k = [1, 3]
"""


@pytest.fixture
def experiment(tmp_path):
    """Two small streams and a file that runs them."""
    for number, name in enumerate(("mine", "other")):
        made = indirect(np.random.default_rng(number), decisions=16)
        made = made._replace(stream=replace(made.stream, name=name))
        write_stream(made, tmp_path / name)
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def frames(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}


def test_a_file_is_a_study(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(
        'streams = ["direct"]\nrouters = ["bm25-watch"]\njudges = ["rules"]\nk = [1, 5]\n'
        'seeds = [3, 4]\nlead = "90min"\nservice = 1\nslots = 2\nwatch = "everything"\n'
    )
    assert read_study(path) == Study(
        streams=["direct"],
        routers=["bm25-watch"],
        judges=["rules"],
        ks=[1, 5],
        seeds=[3, 4],
        watch="everything",
        asking=Asking(lead=1.5, service=1.0, slots=2),
    )


def test_an_experiment_is_every_combination(experiment, capsys):
    assert run(["run", str(experiment), "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    named = [tuple(it[name] for name in ("stream", "router", "k", "judge")) for it in records]
    assert len(set(named)) == len(named) == 16
    assert {it["decisions"] for it in records} == {16}


def test_a_study_in_pieces_is_what_its_episodes_are_alone():
    study = Study(
        ["direct", "natural"], ["none", "name"], ["rules", "weak"], ks=[1, 3], seeds=[0, 1]
    )

    def find(name, seed):
        return make_stream(name, seed=seed, decisions=40)

    whole = play(study, find)
    assert whole.decisions.select(study_module.EPISODE).n_unique() == study.episodes == 32
    alone = run_stream(
        find("natural", 1), routers=["name"], judges=["rules", "weak"], ks=[3], seed=1
    )
    mine = (pl.col("stream") == "natural", pl.col("seed") == 1, pl.col("router") == "name")
    mine += (pl.col("k") == 3,)
    assert whole.decisions.filter(mine).equals(alone.decisions)
    assert whole.deliveries.filter(mine).equals(alone.deliveries)
    assert whole.calls.filter(mine).equals(alone.calls)
    assert whole.log.filter(pl.col("seed") == 1).equals(alone.log)
    assert set(whole.log["stream"]) == {"natural"}


def records(arguments, capsys):
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_run_is_added_to(experiment, tmp_path, capsys):
    out, folder = tmp_path / "x", str(tmp_path / "mine")
    records(["run", folder, "--router", "none", "--judge", "rules", "-o", str(out)], capsys)
    there = read_run(out)
    more = ["--router", "none,name", "--judge", "rules,weak", "-k", "1,3"]
    assert len(records(["run", folder, *more, "-o", str(out)], capsys)) == 8
    grown = read_run(out)
    assert grown.run.decisions.head(there.run.decisions.height).equals(there.run.decisions)
    assert grown.run.measures().height == 8
    assert len(grown.manifest["commands"]) == 2
    assert len(grown.manifest["streams"]) == 1
    keys = ["router", "k", "decision", "notice"]
    assert grown.run.deliveries.select(keys).is_unique().all()
    assert grown.run.deliveries.filter(pl.col("router") == "name", pl.col("k") == 1).height > 0


def test_another_stream_is_added_and_only_its_own_records_are_told(experiment, tmp_path, capsys):
    out = tmp_path / "x"
    asked = ["--router", "none,name", "-o", str(out)]
    records(["run", str(tmp_path / "mine"), *asked], capsys)
    told = records(["run", str(tmp_path / "other"), *asked], capsys)
    assert {it["stream"] for it in told} == {"other"}
    assert read_run(out).run.measures().height == 4


def test_what_is_there_is_not_played_again(experiment, tmp_path, capsys, monkeypatch):
    arguments = ["run", str(experiment), "-o", str(tmp_path / "x")]
    first = records(arguments, capsys)
    before = frames(tmp_path / "x")

    def played(*_, **__):
        raise AssertionError("played again")

    monkeypatch.setattr(study_module, "run", played)
    assert records(arguments, capsys) == first
    assert frames(tmp_path / "x") == before


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (["--lead", "1h"], "asked(="),
        (["--slots", "2"], "asked(="),
        (["--router", "bm25-watch", "--watch", "everything"], "watch_writer(=everything)"),
    ],
)
def test_a_run_with_other_parameters_is_left_as_it_is(change, says, experiment, tmp_path, capsys):
    out = tmp_path / "x"
    folder = ["run", str(tmp_path / "mine"), "-o", str(out), "--router", "none"]
    records(folder, capsys)
    before = (out / "manifest.json").read_bytes()
    assert run([*folder, *change]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert says in error
    assert (out / "manifest.json").read_bytes() == before
    assert not (tmp_path / "x.parts").exists()


def test_another_stream_of_the_same_name_is_refused(experiment, tmp_path, capsys):
    out = tmp_path / "x"
    records(["run", str(tmp_path / "mine"), "-o", str(out), "--router", "none"], capsys)
    made = indirect(np.random.default_rng(9), decisions=16)
    write_stream(made._replace(stream=replace(made.stream, name="mine")), tmp_path / "mine2")
    assert run(["run", str(tmp_path / "mine2"), "-o", str(out), "--router", "name"]) == 2
    assert "stream(=mine) must be the stream of the run that is there" in capsys.readouterr().err


def test_an_interrupted_run_says_what_it_kept_and_goes_on(
    experiment, tmp_path, capsys, monkeypatch
):
    arguments = ["run", str(experiment), "-o", str(tmp_path / "x")]
    whole = ["run", str(experiment), "-o", str(tmp_path / "whole")]
    calls = []

    def interrupted(*given, **named):
        calls.append(named["routers"])
        if len(calls) == 4:
            raise KeyboardInterrupt
        return run_stream(*given, **named)

    monkeypatch.setattr(study_module, "run", interrupted)
    assert run(arguments) == 130
    error = capsys.readouterr().err
    assert "interrupted; 6 finished episodes are kept in x.parts" in error
    assert not (tmp_path / "x").exists()
    calls.clear()
    monkeypatch.setattr(study_module, "run", lambda *a, **k: calls.append(1) or run_stream(*a, **k))
    assert run(arguments) == 0
    assert len(calls) == 8 - 3
    assert not (tmp_path / "x.parts").exists()
    assert run(whole) == 0
    assert frames(tmp_path / "x") == frames(tmp_path / "whole")


def test_a_run_killed_at_any_moment_ends_with_the_same_bytes(experiment, tmp_path, full):
    """SIGKILL at moments spread over the run: 20 in full, 2 by default."""
    main = "from reports.cli.main import main; main()"
    command = [sys.executable, "-c", main, "run", str(experiment), "--quiet", "-o"]
    started = time.monotonic()
    subprocess.run([*command, str(tmp_path / "whole")], check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - started
    whole = frames(tmp_path / "whole")
    assert len(whole) == 3
    rng = np.random.default_rng(0)
    for number, moment in enumerate(rng.uniform(0.5, 1.0, 20 if full else 2) * took):
        out = tmp_path / str(number)
        child = subprocess.Popen([*command, str(out)], stdout=subprocess.DEVNULL)
        try:
            child.wait(moment)
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
        subprocess.run([*command, str(out)], check=True, stdout=subprocess.DEVNULL)
        assert frames(out) == whole


def test_a_second_run_into_the_same_folder_is_refused(experiment, tmp_path, capsys, monkeypatch):
    arguments = ["run", str(experiment), "-o", str(tmp_path / "x")]
    codes = []

    def meanwhile(*given, **named):
        if not codes:
            codes.append(run(arguments))
        return run_stream(*given, **named)

    monkeypatch.setattr(study_module, "run", meanwhile)
    assert run(arguments) == 0
    assert codes == [2]
    assert "is in use: another run writes to it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("streams = [", "must be TOML"),
        (SMALL.replace("k = [1, 3]", "k = [0]"), "k(=[0]) must be a list of whole numbers >= 1"),
        (SMALL.replace("k = [1, 3]", f"k = [{2**63}]"), "whole numbers below 2^63"),
        (SMALL.replace("k = [1, 3]", f"seeds = [{2**63}]"), "whole numbers below 2^63"),
        (SMALL.replace("k = [1, 3]", "k = [3, 3]"), "ks(=3, 3) must hold no value twice"),
        (SMALL.replace("k = [1, 3]", "seeds = [-1]"), "seeds(=[-1])"),
        (SMALL.replace("k = [1, 3]", "seeds = [0, 1]"), "seeds(=[0, 1]) must be one"),
        (SMALL.replace("k = [1, 3]", "speed = 9"), "speed(=9) must be one of streams"),
        (SMALL.replace("k = [1, 3]", 'lead = "soon"'), "lead(=soon)"),
        (SMALL.replace("k = [1, 3]", 'slots = "two"'), "slots(=two)"),
        (SMALL.replace("k = [1, 3]", "watch = 1"), "watch(=1) must be a name"),
        (SMALL.replace("k = [1, 3]", 'watch = "rules"'), "watch(=rules) needs a router"),
        (SMALL.replace('"rules", "weak"', ""), "judges(=) must hold at least one value"),
        (SMALL.replace('["rules", "weak"]', '"rules"'), "judges(=rules) must be a list of names"),
        (SMALL.replace('"bm25-text"', '"clairvoyant"'), "router(=clairvoyant) must be one of"),
        (SMALL.replace('"other"', '"nowhere"'), "nowhere) must be a folder or one of direct"),
    ],
)
def test_a_bad_file_is_one_line_and_leaves_nothing(text, says, experiment, tmp_path, capsys):
    experiment.write_text(text)
    assert run(["run", str(experiment), "-o", str(tmp_path / "x")]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert says in error
    assert not (tmp_path / "x").exists()
    assert not (tmp_path / "x.parts").exists()


def test_a_missing_file_and_options_beside_a_file_are_refused(experiment, tmp_path, capsys):
    assert run(["run", str(tmp_path / "no.toml")]) == 2
    assert "no.toml) could not be read" in capsys.readouterr().err
    assert run(["run", str(experiment), "--router", "none"]) == 2
    assert "must not be given beside" in capsys.readouterr().err


def test_the_default_experiment_is_offline_and_names_what_is_there():
    study = read_study(DEFAULT)
    assert study.streams == ["direct", "stress", "stress2", "indirect"]
    few = replace(study, streams=["direct"], judges=study.judges[:1])
    assert run_study(few, command="test", name="few").measures.height == len(study.routers)
