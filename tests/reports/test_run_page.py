"""Runs on the page: their numbers, their marks, and what cannot be shown."""

import json
import shutil
from dataclasses import replace

import polars as pl
import pytest
from read_page import Reader, tables_of

from reports import build_page
from reports.cli.main import run
from reports.page.numbers import percent, share
from reports.page.shown_natural import natural_among
from reports.run_folder import read_run
from sim.ceiling_points import ceiling_points


def test_the_tables_of_a_run_hold_its_measures(page, saved_run):
    measures = saved_run.run.measures()
    found, rates, gains = tables_of(page, "run-1")
    assert len(found) - 1 == len(rates) - 1 == measures.height == 6
    for column in ("accuracy", "recall", "precision", "switch", "lapse", "keep"):
        at = {"switch": "switch, delivered", "lapse": "switch, not delivered"}.get(column, column)
        written = ["" if value is None else percent(value) for value in measures[column]]
        assert [row[found[0].index(at)] for row in found[1:]] == written
    assert [row[-1] for row in rates[1:]] == ["yes"] * 6
    assert len(gains) - 1 == 4
    accuracy = dict(
        zip(
            zip(measures["router"], measures["judge"], strict=True),
            measures["accuracy"],
            strict=True,
        )
    )
    for router, judge, _, total, *terms in gains[1:]:
        names = (router.removesuffix(" (gold)"), judge.removesuffix(" (simulated)"))
        gained = 100 * (accuracy[names] - accuracy["none", names[1]])
        assert float(total.replace("−", "-")) == pytest.approx(gained, abs=0.051)
        assert sum(float(t.replace("−", "-")) for t in terms) == pytest.approx(gained, abs=0.16)


def test_simulated_judges_and_oracles_are_marked_wherever_they_appear(page):
    for rows in tables_of(page, "run-1"):
        for router, judge, *_ in rows[1:]:
            assert router in ("none", "bm25-text", "decisive (gold)")
            assert judge in ("rules", "weak (simulated)")
    text = Reader(page).texts["run-1"]
    assert "judge weak (simulated)" in text
    assert "Simulated judges answer at given rates, assumed and not measured. Weak: " in text


def test_the_lead_names_the_best_router_without_gold(page, saved_run):
    lead = Reader(page).texts["run-1"]
    measures = saved_run.run.measures().filter(~pl.col("gold"), pl.col("judge") == "rules")
    best = measures.sort("accuracy", descending=True, maintain_order=True).row(0, named=True)
    assert f"without gold: {best['router']} with rules ({percent(best['accuracy'])})" in lead


def test_an_accuracy_that_its_factorisation_misses_is_shown_as_such(
    monkeypatch, saved_run, provenance
):
    """The control: rates of other decisions."""
    from reports.page import runs
    from sim.measures import factorisation

    monkeypatch.setattr(runs, "factorisation", lambda rows: factorisation(rows.head(7)))
    page = build_page([], fit=None, runs=[saved_run], provenance=provenance)
    rates = tables_of(page, "run-1")[1]
    assert "NO" in [row[-1] for row in rates]


def test_the_natural_panels_hold_the_points(page, natural):
    points = ceiling_points(natural.run.log, natural.run.decisions)
    [[headings, *rows]] = tables_of(page, "natural")
    for name in ("predicted", "measured", "low", "high"):
        assert [row[headings.index(name)] for row in rows] == [share(v) for v in points[name]]
    text = Reader(page).texts["natural"]
    assert "In a small stream, " in text
    assert percent(float(natural.run.decisions["right"].to_numpy().mean())) in text


def test_a_natural_run_takes_the_place_of_the_simulated_stream(saved_run):
    shown = natural_among([saved_run])
    assert shown.origin == "the run x"
    routed = replace(
        saved_run.run, decisions=saved_run.run.decisions.filter(pl.col("router") != "none")
    )
    assert natural_among([replace(saved_run, run=routed)]) is None
    assert natural_among([replace(saved_run, run=replace(saved_run.run, log=None))]) is None


def test_without_a_natural_run_the_page_says_so(provenance):
    page = build_page([], fit=None, provenance=provenance)
    assert "there is no run of a natural stream" in Reader(page).texts["natural"]


def test_the_command_shows_runs_in_the_order_given(run_folder, monkeypatch, tmp_path, capsys):
    from sim import verification

    monkeypatch.setattr(verification, "CLAIMS", {})
    second = tmp_path / "y"
    shutil.copytree(run_folder, second)
    output = tmp_path / "report.html"
    assert run(["report", str(second), str(run_folder), "-o", str(output), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == ["y", "x"]
    page = output.read_text()
    assert page.index("The run y:") < page.index("The run x:")
    assert "In the run y, " in page


def broken(folder, how):
    manifest = folder / "manifest.json"
    document = json.loads(manifest.read_text())
    if how == "no manifest":
        manifest.unlink()
    elif how == "a torn manifest":
        manifest.write_text(manifest.read_text()[:100])
    elif how == "another kind":
        manifest.write_text(json.dumps(document | {"kind": "stream"}))
    elif how == "a newer version":
        manifest.write_text(json.dumps(document | {"format": 99}))
    elif how == "a missing file":
        (folder / "calls.parquet").unlink()
    elif how == "two runs mixed":
        pl.DataFrame({"a": [1]}).write_parquet(folder / "decisions.parquet")


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("no manifest", "must be the folder of a run"),
        ("a torn manifest", "manifest.json: run(=no JSON)"),
        ("another kind", "manifest.json: kind(="),
        ("a newer version", "format(=99) must be 1: the run is from another version"),
        ("a missing file", "calls.parquet) is missing"),
        ("two runs mixed", "SHA-256 is another"),
    ],
)
def test_a_folder_that_is_no_whole_run_is_one_line(how, says, run_folder, tmp_path, capsys):
    folder = tmp_path / "broken"
    shutil.copytree(run_folder, folder)
    broken(folder, how)
    output = tmp_path / "report.html"
    assert run(["report", str(folder), "-o", str(output)]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert says in error
    assert not output.exists()


def test_two_sweeps_are_refused(tmp_path, capsys):
    arguments = ["report", "a.parquet", "b.parquet", "-o", str(tmp_path / "r.html")]
    assert run(arguments) == 2
    assert "must be one file" in capsys.readouterr().err


def test_a_run_is_read_back_as_it_was(saved_run, run_folder):
    again = read_run(run_folder)
    assert again.run.measures().equals(saved_run.run.measures())
    assert again.run.log.height == 60
