import json
from dataclasses import replace

import pytest

from reports.cli.main import run
from sim import verification
from sim.experiments import EXPERIMENTS, IN_EPISODES
from theory.claims import CLAIMS
from theory.claims.proof import Step


@pytest.fixture
def thin(monkeypatch, thin_episodes):
    """Experiments of one hazard each, so that a command takes a moment."""
    for name in ("exposure", "freshness-alone"):
        axes = {key: values[2:4] for key, values in EXPERIMENTS[name].axes.items()}
        monkeypatch.setitem(EXPERIMENTS, name, replace(EXPERIMENTS[name], axes=axes))
    monkeypatch.setitem(IN_EPISODES, "freshness-alone", thin_episodes["freshness-alone"])
    monkeypatch.setattr(
        verification, "CLAIMS", {name: CLAIMS[name] for name in ("exposure", "freshness-alone")}
    )


def test_json_is_one_document_with_a_record_a_claim(thin, capsys):
    code = run(["verify", "--json", "--seed", "3"])
    records = json.loads(capsys.readouterr().out)
    assert [record["id"] for record in records] == ["exposure", "freshness-alone"]
    for record in records:
        assert record["proved"] is record["held"] is record["control_rejected"] is True
        assert record["seed"] == 3
        assert all(step["holds"] for step in record["steps"])
    assert records[0]["in_episodes"] is None
    further = records[1]["in_episodes"]
    assert further["held"] is further["control_rejected"] is True
    assert further["engine"] == "simpy"
    assert code == 0


def test_a_table_names_each_claim_once_and_its_episodes_below(thin, capsys):
    assert run(["verify"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0].strip() or line.strip()[:11] for line in lines[1:]] == [
        "exposure",
        "freshness-alone",
        "in episodes",
    ]


@pytest.mark.parametrize("failing", ["proof", "measurement", "control"])
def test_a_claim_that_fails_exits_with_one(thin, monkeypatch, capsys, failing):
    experiment = EXPERIMENTS["exposure"]
    if failing == "proof":
        broken = replace(
            CLAIMS["exposure"], steps=lambda: [Step("It is not so.", "1 = 2", "SymPy", False)]
        )
        monkeypatch.setitem(verification.CLAIMS, "exposure", broken)
    elif failing == "measurement":
        wrong = replace(experiment, predict=lambda cell, _: experiment.predict(cell, 2.0))
        monkeypatch.setitem(EXPERIMENTS, "exposure", wrong)
    else:
        blind = replace(experiment, predict=lambda cell, _: experiment.predict(cell, 1.0))
        monkeypatch.setitem(EXPERIMENTS, "exposure", blind)
    assert run(["verify"]) == 1
    assert capsys.readouterr().out.count("NO") >= 1
    assert run(["verify", "--claim", "freshness-alone"]) == 0


def test_an_unknown_claim_is_one_line_and_exit_code_two(capsys):
    assert run(["verify", "--claim", "everything"]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "claim(=everything) must be one of freshness-ceiling" in error


@pytest.mark.parametrize(
    "arguments", [["--engine", "cuda"], ["--seed", "-1"], ["--seed", "x"], ["--no"]]
)
def test_bad_options_are_one_line_and_exit_code_two(arguments, capsys):
    assert run(["verify", *arguments]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_an_interrupt_ends_cleanly(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(verification, "run", interrupted)
    assert run(["verify", "--claim", "exposure"]) == 130
    assert capsys.readouterr().err.strip() == "bestbefore: interrupted, nothing written"
