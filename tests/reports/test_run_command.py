import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from safetensors.numpy import load_file, save_file

from llm import WATCH_WRITERS
from reports.cli.main import run
from sim import runs
from sim.profiles import PROFILES
from sim.streams import indirect, write_stream
from tests.routers.encoders import small_bert

SMALL = ["--router", "none,decisive", "--judge", "rules,perfect"]


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "mine"
    write_stream(indirect(np.random.default_rng(4), decisions=16), path)
    return str(path)


def records(arguments, capsys):
    assert run(["run", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_is_a_record_an_episode(folder, capsys):
    found = records([folder, *SMALL], capsys)
    assert [(it["router"], it["judge"]) for it in found] == [
        ("none", "rules"),
        ("none", "perfect"),
        ("decisive", "rules"),
        ("decisive", "perfect"),
    ]
    wanted = {"stream", "router", "judge", "k", "seed", "accuracy", "recall", "pair_recall"}
    wanted |= {"precision", "switch", "lapse", "keep", "traps", "missed", "simulated", "gold"}
    assert all(wanted <= set(it) for it in found)
    assert [it["accuracy"] for it in found] == [0.5, 0.5, 1.0, 1.0]
    assert found[0]["switch"] is None
    assert [it["simulated"] for it in found] == [False, True, False, True]
    assert [it["gold"] for it in found] == [False, False, True, True]


@pytest.mark.parametrize(
    ("stream", "standing", "decisions"),
    [("direct", 50, 110), ("stress", 27, 75), ("stress2", 45, 73), ("indirect", 64, 128)],
)
def test_no_routing_gives_exactly_the_standing_share(stream, standing, decisions, capsys):
    [record] = records([stream, "--router", "none"], capsys)
    assert record["accuracy"] == standing / decisions
    assert record["decisions"] == decisions


def test_the_table_says_which_are_simulated_and_which_know_gold(folder, capsys):
    assert run(["run", folder, *SMALL, "-k", "1,3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 8
    assert sum("perfect (simulated)" in line for line in lines) == 4
    assert sum("decisive (gold)" in line for line in lines) == 4


def test_a_run_folder_holds_frames_and_how_they_came_about(folder, tmp_path, capsys):
    out = tmp_path / "runs" / "x"
    records([folder, *SMALL, "--seed", "3", "--lead", "2h", "-o", str(out)], capsys)
    manifest = json.loads((out / "manifest.json").read_text())
    assert {path.name for path in out.iterdir()} == {
        "manifest.json",
        *manifest["sha256"],
    }
    [made] = manifest["commands"]
    assert made["seeds"] == [3]
    assert made["command"].startswith("bestbefore run ")
    assert manifest["asked"]["lead"] == 2.0
    assert manifest["simulated_judges"] == {"perfect": PROFILES["perfect"].source}
    [told] = manifest["streams"]
    assert told["sha256"] == told["made"]["sha256"]
    decisions = pl.read_parquet(out / "decisions.parquet")
    assert decisions.height == 16 * 4
    assert set(runs.KEYS) <= set(decisions.columns)
    assert decisions.filter(pl.col("judge") == "perfect")["simulated"].all()
    assert pl.read_parquet(out / "deliveries.parquet").height > 0
    assert pl.read_parquet(out / "calls.parquet").height > 0


def test_a_run_tells_who_wrote_its_watch_conditions(folder, tmp_path, capsys):
    out = tmp_path / "x"
    routers = ["--router", "bm25-text,bm25-watch"]
    found = records([folder, *routers, "--watch", "everything", "-o", str(out)], capsys)
    assert [it["watch"] for it in found] == [None, "everything"]
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["watch"] == {"writer": "everything", "version": "1"}
    assert run(["run", folder, *routers]) == 0
    assert "watch conditions by rules" in capsys.readouterr().out


def test_the_same_run_gives_the_same_bytes_and_may_be_written_again(folder, tmp_path, capsys):
    out = tmp_path / "x"
    arguments = [folder, *SMALL, "-o", str(out)]
    records(arguments, capsys)
    first = {path.name: path.read_bytes() for path in out.glob("*.parquet")}
    records(arguments, capsys)
    assert {path.name: path.read_bytes() for path in out.glob("*.parquet")} == first


def test_a_folder_of_something_else_is_left_alone(folder, capsys):
    assert run(["run", folder, *SMALL, "-o", folder]) == 2
    assert "it holds other files" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "STREAM(=nowhere) must be a folder or one of direct, stress"),
        ([], "STREAM"),
        (["indirect", "--router", "clairvoyant"], "router(=clairvoyant) must be one of none"),
        (["indirect", "--router", "name+x"], "router(=name+x) must be one of none"),
        (["indirect", "--router", "none,"], "router(=) must be one of"),
        (["indirect", "--judge", "solomon"], "judge(=solomon) must be one of rules, perfect"),
        (["indirect", "--router", "bm25-watch", "--watch", "x"], "watch(=x) must be one of rules"),
        (["indirect", "--watch", "rules"], "watch(=rules) needs a router that reads conditions"),
        (["indirect", "-k", "0"], "-k(=0) must be a whole number >= 1"),
        (["indirect", "-k", "1,two"], "-k(=two)"),
        (["indirect", "-k", str(2**63)], "k(=9223372036854775808) must be below 2^63"),
        (["indirect", "--seed", str(2**63)], "--seed"),
        (["indirect", "--lead", "soon"], "--lead(=soon)"),
        (["indirect", "--lead", "-1h"], "lead(=-1.0) must be >= 0"),
        (["indirect", "--service", "-1h"], "service(=-1.0) must be >= 0"),
        (["indirect", "--slots", "0"], "slots"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments, says, capsys):
    assert run(["run", *arguments]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert says in error


def test_an_interrupt_leaves_nothing_behind(folder, tmp_path, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "episode", interrupted)
    out = tmp_path / "new" / "x"
    assert run(["run", folder, *SMALL, "-o", str(out)]) == 130
    assert capsys.readouterr().err.strip() == "bestbefore: interrupted, nothing written"
    assert not out.exists()
    assert list(out.parent.iterdir()) == []


def test_list_names_every_part(capsys):
    assert run(["run", "--list"]) == 0
    shown = capsys.readouterr().out
    for name in [*runs.router_names(), *runs.judge_names(), "indirect", "natural"]:
        assert name in shown
    assert run(["run", "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert list(listed["oracles"]) == ["decisive", "related"]
    assert list(listed["watch writers"]) == list(WATCH_WRITERS)
    assert all(line for lines in listed.values() for line in lines.values())


def test_a_time_filter_tells_what_it_dropped_and_how_often_that_was_wrong(folder, capsys):
    routers = ["--router", "broadcast,broadcast+time-filter,related+time-filter"]
    plain, filtered, oracle = records([folder, *routers], capsys)
    assert (plain["dropped"], plain["wrongly_dropped"]) == (0, 0)
    assert filtered["dropped"] > oracle["dropped"] > 0
    assert filtered["wrongly_dropped"] == oracle["wrongly_dropped"] == 0
    assert oracle["gold"] is True
    decisions = plain["decisions"]
    assert (plain["delivered"] - filtered["delivered"]) * decisions == filtered["dropped"]
    assert run(["run", folder, *routers]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[1].endswith("dropped (decisive)")
    assert shown[3].endswith(f"{filtered['dropped']} (0)")


def test_help_of_run_imports_nothing_heavy():
    code = (
        "import sys; from reports.cli.main import run; run(['run', '--help']);"
        "sys.exit(bool({'polars', 'simpy', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


@pytest.fixture
def encoder(tmp_path):
    return str(small_bert(tmp_path / "encoder"))


def test_a_run_keeps_which_encoder_its_dense_routers_read_by(folder, encoder, tmp_path, capsys):
    output = tmp_path / "run"
    asked = [folder, "--router", "dense-text,none", "--encoder", encoder, "-o", str(output)]
    [dense, _] = records(asked, capsys)
    assert dense["delivered"] > 0
    kept = json.loads((output / "manifest.json").read_text())["encoder"]
    assert kept["name"] == encoder
    assert set(kept["sha256"]) >= {"model.safetensors", "tokenizer.json", "config.json"}
    records(asked, capsys)
    small_bert(tmp_path / "other", seed=1)
    asked[4] = str(tmp_path / "other")
    assert run(["run", *asked]) == 2
    assert "must be as in the run that is there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("router", "encoder", "says"),
    [
        ("bm25-text", "any", "needs a router that reads by one"),
        ("dense-text", "{tmp}", "it has no config.json"),
        ("dense-text", "{tmp}/nowhere", "must be a folder that exists"),
        ("dense-text", "{tmp}/nan", "must give finite vectors"),
    ],
)
def test_what_is_no_encoder_ends_with_one_line(router, encoder, says, folder, tmp_path, capsys):
    broken = small_bert(tmp_path / "nan") / "model.safetensors"
    weights = load_file(broken)
    weights["embeddings.LayerNorm.bias"][:] = np.nan
    save_file(weights, broken)
    encoder = encoder.format(tmp=tmp_path)
    output = tmp_path / "run"
    asked = [folder, "--router", router, "--encoder", encoder, "-o", str(output), "--quiet"]
    assert run(["run", *asked]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert says in err
    assert not output.exists()
