"""`bestbefore run` with judges that ask models, answered by a stub server: nothing is measured."""

import hashlib
import json
import re

import numpy as np
import polars as pl
import pytest

from llm.calls.stub import STUB, Stub, status
from reports.cli.main import run
from sim.streams import indirect, write_stream

ROUTERS = ["--router", "none,bm25-dossier,broadcast"]


def coin(asked):
    number = hashlib.sha256(asked.last.encode()).digest()[0]
    if '"choice"' in str(asked.body["messages"][0]["content"]):
        return json.dumps({"reason": "a coin", "choice": "switch" if number % 2 else "keep"})
    told = re.findall(r'notice number="(\d+)"', asked.last)
    item = {"concerns": True, "blocks": number % 2 == 1, "start": None, "end": None}
    return json.dumps({"notices": [{"number": int(it), **item} for it in told]})


@pytest.fixture
def stub(monkeypatch):
    with Stub(answer=coin, key="sk-canary-9e107d9d") as running:
        for name, value in running.environ.items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture
def stream(tmp_path, monkeypatch):
    path = tmp_path / "mine"
    write_stream(indirect(np.random.default_rng(4), decisions=16), path)
    monkeypatch.chdir(tmp_path)
    return str(path)


def records(arguments, capsys):
    assert run(["run", *arguments, "--json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


def failed(arguments, capsys):
    assert run(["run", *arguments, "--quiet"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    return line


def test_a_model_is_a_judge_in_one_mode_or_both(stub, stream, capsys):
    model = ["--judge", "rules,stub/coin", "--mode", "decide,extract"]
    found = records([stream, *ROUTERS, *model], capsys)
    judges = ["rules", "stub/coin+decide", "stub/coin+extract"]
    assert [it["judge"] for it in found] == judges * 3
    assert not any(it["simulated"] for it in found)
    assert {it["invalid"] for it in found} <= {None, 0.0}
    assert all(it["accuracy"] == it["answered_accuracy"] for it in found)


def test_a_run_keeps_its_answers_and_is_replayed_to_the_byte(stub, stream, tmp_path, capsys):
    asked = [stream, *ROUTERS, "--judge", "stub/coin"]
    first = records([*asked, "-o", "runs/x"], capsys)
    kept = tmp_path / "runs" / "x.calls.jsonl"
    sent = len(stub.seen)
    assert sent == len(kept.read_text().splitlines())
    stub.script.extend([status(500)] * 99)  # nobody answers any more
    replay = ["--calls", "replay", "--cassette", str(kept), "-o", "runs/y"]
    assert records([*asked, *replay], capsys) == first
    assert len(stub.seen) == sent
    for name in ("decisions", "deliveries", "calls"):
        files = [tmp_path / "runs" / run / f"{name}.parquet" for run in "xy"]
        assert files[0].read_bytes() == files[1].read_bytes()


def test_manifest_table_and_page_say_who_answered_and_what_was_replayed(
    stub, stream, tmp_path, capsys
):
    asked = [stream, "--router", "broadcast", "--judge", "stub/coin"]
    records([*asked, "-o", "x"], capsys)
    assert run(["run", *asked, "-o", "y", "--cassette", "x.calls.jsonl"]) == 0
    captured = capsys.readouterr()
    told = re.compile(rf"stub/coin\+decide: 16 distinct answers of {STUB} of 20\d\d-\d\d-\d\d, 16 ")
    assert told.search(captured.out)
    assert "answered" in captured.out.splitlines()[1]
    assert "16 questions, 16 distinct, 16 recorded; 0 calls" in captured.err
    [source] = json.loads((tmp_path / "y" / "manifest.json").read_text())["models"]
    assert (source["answers"], source["replayed"], source["models"]) == (16, 16, [STUB])
    assert (source["prompts"], source["temperature"]) == (["decide@1"], [0.0])
    assert pl.read_parquet(tmp_path / "y" / "answers.parquet").height == 16
    assert run(["report", "y", "-o", "page.html", "--quiet"]) == 0
    page = (tmp_path / "page.html").read_text()
    assert f"16 distinct answers of {STUB}" in page
    assert "invalid answers" in page
    assert "Two judges on the same decisions" not in page


def test_no_key_is_in_anything_that_was_written_or_shown(stub, stream, tmp_path, capsys):
    assert run(["run", stream, *ROUTERS, "--judge", "stub/coin", "-o", "x"]) == 0
    stub.script.append(status(401, f"no such key: {stub.key}"))
    assert run(["run", stream, "--router", "related", "--judge", "stub/coin", "-o", "z"]) == 2
    shown = "".join(capsys.readouterr())
    assert "refused the key: key 401: no such key: ***" in shown
    assert "canary" not in shown
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert not [path for path in files if b"canary" in path.read_bytes()]


def test_a_dry_run_says_what_it_would_take_and_asks_nobody(stub, stream, tmp_path, capsys):
    asked = [stream, *ROUTERS, "--judge", "stub/coin,openai/gpt-4.1", "--mode", "extract"]
    mine, known = records([*asked, "--dry-run"], capsys)
    assert not stub.seen
    assert (mine["questions"], mine["distinct"], mine["recorded"]) == (32, 32, 0)
    assert mine["calls"] == 32
    assert mine["cost"] is None
    assert known["cost"] > 0
    assert not (tmp_path / "bestbefore-calls.jsonl").exists()
    records([stream, "--router", "broadcast", "--judge", "stub/coin+extract"], capsys)
    mine, _ = records([*asked, "--dry-run"], capsys)
    assert (mine["recorded"], mine["calls"]) == (16, 16)
    assert run(["run", *asked, "--dry-run"]) == 0
    assert "stub/coin+extract: 32 questions, 32 distinct, 16 recorded" in capsys.readouterr().out


def test_a_run_stopped_by_its_limit_goes_on_where_it_stopped(stub, stream, tmp_path, capsys):
    asked = [stream, "--router", "broadcast", "--judge", "stub/coin", "-o", "x"]
    error = failed([*asked, "--max-calls", "5"], capsys)
    assert "model(=stub/coin) is called no more: --max-calls 5 is reached" in error
    assert "new answers, 5, are kept in x.calls.jsonl" in error
    assert not (tmp_path / "x").exists()
    assert not (tmp_path / "x.parts").exists()
    records(asked, capsys)
    assert len(stub.seen) == 16


def test_prompts_can_be_shown_without_asking_anybody(stream, capsys):
    asked = [stream, "--router", "broadcast", "--judge", "openai/x", "--mode", "decide,extract"]
    assert run(["run", *asked, "--show-prompt", "d03"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("=== openai/x, decide@1\n--- system\n") == 1
    assert shown.count("=== openai/x, extract@1\n--- system\n") == 1
    assert [it["prompt"] for it in records([*asked, "--show-prompt", "d03"], capsys)] == [
        "decide@1",
        "extract@1",
    ]


BAD = {
    "no key": (["--judge", "mistral/x"], "model(=mistral/x) needs a key: set MISTRAL_API_KEY"),
    "no url": (["--judge", "nowhere/x"], "set NOWHERE_BASE_URL"),
    "no such mode": (["--judge", "stub/x", "--mode", "guess"], "mode(=guess) must be one of"),
    "no price": (["--judge", "stub/x", "--budget", "2"], "needs a price: none is known for stub/x"),
    "no replay": (["--judge", "stub/x", "--calls", "replay"], "must be a file that exists"),
    "two words": (
        ["--judge", "stub/x", "--calls", "live", "--cassette", "c"],
        "--cassette(=c) must not be given with --calls live",
    ),
    "a folder": (["--judge", "stub/x", "--cassette", "."], "must be a file, not a folder"),
    "nobody to pay": (["--judge", "rules", "--budget", "2"], "needs a judge that asks a model"),
    "nobody to ask": (["--judge", "rules", "--dry-run"], "needs a judge that asks a model"),
    "no prompt": (["--judge", "rules", "--show-prompt", "d03"], "needs a judge that asks a model"),
    "no decision": (
        ["--judge", "stub/x", "--show-prompt", "dx"],
        "--show-prompt(=dx) must be the id",
    ),
    "no news": (
        ["--judge", "stub/x", "--router", "none", "--show-prompt", "d03"],
        "--show-prompt(=d03) must be a decision that news reaches",
    ),
    "negative": (["--judge", "stub/x", "--budget", "-1"], "--budget(=-1.0) must be finite"),
}


@pytest.mark.parametrize(("arguments", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_one_line_and_nobody_is_called(stub, stream, arguments, says, capsys):
    assert says in failed([stream, *arguments], capsys)
    assert not stub.seen


def test_an_interrupt_says_what_was_kept(stub, stream, capsys, monkeypatch):
    def interrupted(self, cases, *, advance):
        self.judge(*cases[0])
        raise KeyboardInterrupt

    monkeypatch.setattr("llm.model.ModelJudge.prepare", interrupted)
    assert run(["run", stream, "--router", "broadcast", "--judge", "stub/coin", "--quiet"]) == 130
    said = capsys.readouterr().err.strip()
    assert said == "bestbefore: interrupted; 1 new answers are kept in bestbefore-calls.jsonl"


def test_an_experiment_names_models_with_their_mode(stub, stream, tmp_path, capsys):
    (tmp_path / "x.toml").write_text(
        'streams = ["mine"]\nrouters = ["broadcast"]\njudges = ["stub/coin+extract"]\n'
    )
    [record] = records(["x.toml"], capsys)
    assert record["judge"] == "stub/coin+extract"
    assert "must not be given beside" in failed(["x.toml", "--mode", "decide"], capsys)


def conditions(asked):
    """What a model that knows every name would have watched: the names that were given."""
    if '"conditions"' not in str(asked.body["messages"][0]["content"]):
        return coin(asked)
    names = re.findall(r"(?:Chosen|Depends on): (.+)", asked.last)
    return json.dumps({"conditions": [*(f"{name} is closed." for name in names), "A strike."]})


WATCHING = ["--router", "none,bm25-watch", "--watch", "stub/any"]


def test_a_model_can_write_watch_conditions(stub, stream, tmp_path, capsys):
    stub.answer = conditions
    asked = [stream, *WATCHING, "--judge", "rules,stub/coin", "-o", "x"]
    assert run(["run", *asked]) == 0
    shown, told = capsys.readouterr()
    assert "watch conditions by stub/any" in shown
    assert re.search(rf"watch by stub/any: 16 distinct answers of {STUB}", shown)
    assert "watch by stub/any: 16 questions, 16 distinct, 0 recorded; 16 calls" in told
    first = [it for it in stub.seen if "What would stop the activity?" in it.last]
    assert len(first) == 16
    manifest = json.loads((tmp_path / "x" / "manifest.json").read_text())
    assert manifest["watch"] == {"writer": "stub/any", "version": "watch@1"}
    assert [it["judge"] for it in manifest["models"]] == ["stub/coin+decide", "watch by stub/any"]
    sent = len(stub.seen)
    again = [stream, *WATCHING, "--judge", "rules", "--calls", "replay"]
    records([*again, "--cassette", "x.calls.jsonl"], capsys)
    assert len(stub.seen) == sent


def test_a_dry_run_of_a_watch_writer_asks_nobody(stub, stream, capsys):
    judge, writer = ["--judge", "stub/coin"], "watch by stub/any"
    found = records([stream, *WATCHING, *judge, "--dry-run"], capsys)
    assert [it["judge"] for it in found] == [writer, "stub/coin+decide"]
    assert found[0]["questions"] == found[0]["calls"] == 16
    shown = records([stream, *WATCHING, "--judge", "rules", "--show-prompt", "d03"], capsys)
    assert [it["prompt"] for it in shown] == ["watch@1"]
    assert not stub.seen
