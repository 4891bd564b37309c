import json
from dataclasses import replace

import pytest

from reports import study_file
from reports.cli.main import run
from reports.fit_file import fit_document
from sim import verification
from sim.experiments import EXPERIMENTS, IN_EPISODES
from theory.claims import CLAIMS


@pytest.fixture
def thin(monkeypatch, thin_episodes, tmp_path_factory):
    """Two claims on grids of a few cells and a small experiment: a command takes a moment."""
    for name in ("exposure", "freshness-alone"):
        axes = {key: values[2:4] for key, values in EXPERIMENTS[name].axes.items()}
        monkeypatch.setitem(EXPERIMENTS, name, replace(EXPERIMENTS[name], axes=axes))
    monkeypatch.setitem(IN_EPISODES, "freshness-alone", thin_episodes["freshness-alone"])
    monkeypatch.setattr(
        verification, "CLAIMS", {name: CLAIMS[name] for name in ("exposure", "freshness-alone")}
    )
    small = tmp_path_factory.mktemp("study") / "small.toml"
    small.write_text('streams = ["direct"]\nrouters = ["none", "name"]\njudges = ["rules"]\n')
    monkeypatch.setattr(study_file, "DEFAULT", small)


@pytest.fixture
def never(monkeypatch):
    """Fail the test if anything is computed before the input is checked."""

    def computed(*_, **__):
        raise AssertionError("computed before the input was checked")

    monkeypatch.setattr(verification, "run", computed)


def test_a_page_is_written_and_its_verdict_told(thin, tmp_path, capsys):
    output = tmp_path / "report.html"
    assert run(["report", "-o", str(output), "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 of 2 claims proven, held and controlled."
    assert lines[1].startswith(f"{output}: ")
    page = output.read_text()
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    assert f"bestbefore report -o {output} --seed 3" in page
    assert list(tmp_path.iterdir()) == [output]


def test_json_is_one_document(thin, fit, tmp_path, capsys):
    saved = tmp_path / "fit.json"
    source = replace(fit.saved.source, file="outages.csv")
    saved.write_text(json.dumps(fit_document(replace(fit.saved, source=source))))
    output = tmp_path / "report.html"
    code = run(["report", "-o", str(output), "--fit", str(saved), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert code == 0
    assert [claim["id"] for claim in document["claims"]] == ["exposure", "freshness-alone"]
    assert document["fit"]["source"] == "outages.csv"
    assert document["fit"]["simulated"] is False
    assert document["fit"]["rate"] == fit.saved.fit.pooled.rate
    assert document["bytes"] == output.stat().st_size
    assert "From outages.csv" in output.read_text()


def test_a_claim_that_fails_still_gives_a_page_and_exit_code_one(
    thin, monkeypatch, tmp_path, capsys
):
    experiment = EXPERIMENTS["exposure"]
    wrong = replace(experiment, predict=lambda cell, _: experiment.predict(cell, 2.0))
    monkeypatch.setitem(EXPERIMENTS, "exposure", wrong)
    output = tmp_path / "report.html"
    assert run(["report", "-o", str(output)]) == 1
    assert capsys.readouterr().out.startswith("1 of 2 claims")
    assert "1 of 2 claims" in output.read_text()


@pytest.mark.parametrize("which", ["held", "control_rejected"])
def test_a_claim_that_fails_in_episodes_alone_fails_in_the_document(
    which, thin, monkeypatch, tmp_path, capsys
):
    """Doctored so that the episodes break an identity, or no longer tell the control apart."""
    experiment = IN_EPISODES["freshness-alone"]

    def measure(*arguments):
        found = experiment.measure(*arguments)
        if which == "held":
            return found._replace(identities_hold=False)
        return found._replace(
            counts=[count._replace(control=count.chances) for count in found.counts]
        )

    monkeypatch.setitem(IN_EPISODES, "freshness-alone", replace(experiment, measure=measure))
    assert run(["report", "-o", str(tmp_path / "report.html"), "--json"]) == 1
    claims = {c["id"]: c for c in json.loads(capsys.readouterr().out)["claims"]}
    assert claims["freshness-alone"][which] is False
    assert claims["exposure"][which] is True


def test_a_written_sweep_is_drawn(thin, tmp_path, capsys):
    sweep, output = tmp_path / "sweep.parquet", tmp_path / "report.html"
    assert run(["sweep", "--hazard", "0.01,0.1", "--gap", "12,24", "-o", str(sweep)]) == 0
    assert run(["report", str(sweep), "-o", str(output)]) == 0
    page = output.read_text()
    assert "4 cells of the sweep" in page
    assert "<dt>sweep.parquet</dt>" in page


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["missing.parquet"], "missing.parquet"),
        (["broken.parquet"], "broken.parquet"),
        (["--fit", "missing.json"], "missing.json"),
        (["--fit", "broken.json"], "broken.json"),
        (["--fit", "other.json"], "other.json"),
        (["-o", "nowhere/report.html"], "nowhere"),
        (["-o", "."], "must be a file"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two_before_any_work(
    arguments, told, never, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for name in ("broken.parquet", "broken.json"):
        (tmp_path / name).write_text('{"rate": ')
    (tmp_path / "other.json").write_text('{"rate": 1.0}')
    before = sorted(tmp_path.iterdir())
    assert run(["report", "-o", "report.html", *arguments]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert told in error
    assert sorted(tmp_path.iterdir()) == before


def test_an_output_is_needed(capsys):
    assert run(["report"]) == 2
    assert "-o" in capsys.readouterr().err


def test_an_interrupt_leaves_the_old_page_as_it_was(thin, tmp_path, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    output = tmp_path / "report.html"
    output.write_text("old")
    monkeypatch.setattr("reports.page.rendering.render", interrupted)
    assert run(["report", "-o", str(output)]) == 130
    assert capsys.readouterr().err.strip() == "bestbefore: interrupted, nothing written"
    assert output.read_text() == "old"
    assert list(tmp_path.iterdir()) == [output]


def test_nothing_given_is_the_default_experiment(thin, tmp_path, capsys):
    output = tmp_path / "report.html"
    assert run(["report", "-o", str(output), "--seed", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == ["default"]
    assert 'id="run-1-direct"' in output.read_text()


def test_the_default_page_is_whole_and_small(default_page):
    assert default_page.stat().st_size < 4_000_000
    page = default_page.read_text()
    assert "7 of 7 claims proven, held and controlled." in page
