"""Runs on the page: their numbers, their marks, and what cannot be shown."""

import json
import re
import shutil
from dataclasses import replace

import polars as pl
import pytest
from read_page import Reader, tables_of

from reports import build_page
from reports.cli.main import run
from reports.page import run_tables
from reports.page.numbers import percent, share
from reports.page.shown_natural import natural_among
from reports.run_folder import read_run
from reports.study_run import run_study
from reports.tables import TABLES, paper_figures
from reports.tables.figures import figures_beside
from sim.ceiling_points import ceiling_points
from sim.measures import factorisation
from sim.study import Study

SECTION = "run-1-natural"


@pytest.fixture(scope="session")
def tables(page):
    """The tables of the run's section by their names."""
    names = re.findall(r'<table>\s*<caption class="heard">(.*?)</caption>', page)
    reader = Reader(page)
    found = zip(names, reader.tables, strict=True)
    return {name: rows for name, (section, rows) in found if section == SECTION}


def column(rows, heading):
    return [row[rows[0].index(heading)] for row in rows[1:]]


def test_the_tables_of_a_run_hold_its_measures(tables, saved_run):
    measures = TABLES["results"](saved_run.run)
    found = tables["Measures by router and judge; the best without gold in bold"]
    assert len(found) - 1 == measures.height == 6
    headings = {"switch": "switch, delivered", "lapse": "switch, not delivered"}
    for name in ("accuracy", "recall", "precision", "switch", "lapse", "keep", "missed"):
        written = ["" if value is None else percent(value) for value in measures[name]]
        at = {"missed": "deadline missed"}.get(name, headings.get(name, name))
        assert column(found, at) == written


def test_gains_are_the_sums_of_their_terms(tables, saved_run):
    measures = TABLES["results"](saved_run.run)
    accuracy = {row[:2]: row[2] for row in measures.select("router", "judge", "accuracy").rows()}
    gains = tables["Gain over none"]
    assert len(gains) - 1 == 4
    for router, judge, _, total, *terms in gains[1:]:
        names = (router.removesuffix(" (gold)"), judge.removesuffix(" (simulated)"))
        gained = 100 * (accuracy[names] - accuracy["none", names[1]])
        assert float(total.replace("−", "-")) == pytest.approx(gained, abs=0.051)
        assert sum(float(t.replace("−", "-")) for t in terms) == pytest.approx(gained, abs=0.16)


def test_simulated_judges_and_oracles_are_marked_wherever_they_appear(page, tables):
    for name, rows in tables.items():
        for row in rows[1:]:
            for heading, cell in zip(rows[0], row, strict=True):
                if heading in ("router", "against"):
                    assert cell in ("none", "bm25-text", "decisive (gold)", "decisive"), name
                if heading == "judge":
                    assert cell in ("rules", "weak (simulated)"), name
    text = Reader(page).texts[SECTION]
    assert "judge weak (simulated)" in text
    assert "Simulated judges answer at given rates, assumed and not measured. Weak: " in text
    said = dict(
        zip(
            *(
                column(
                    tables["The paper’s predictions, by judge"][:1]
                    + [
                        row
                        for row in tables["The paper’s predictions, by judge"][1:]
                        if row[1] != "rules"
                    ],
                    name,
                )
                for name in ("prediction", "verdict")
            ),
            strict=True,
        )
    )
    assert said == {"P1": "holds"} | dict.fromkeys(("P2", "P3", "P4"), "assumed, not tested")


def test_the_lead_names_the_best_router_without_gold(page, saved_run):
    lead = Reader(page).texts[SECTION]
    measures = saved_run.run.measures().filter(~pl.col("gold"), pl.col("judge") == "rules")
    best = measures.sort("accuracy", descending=True, maintain_order=True).row(0, named=True)
    assert f"without gold: {best['router']} with rules ({percent(best['accuracy'])})" in lead


def test_an_accuracy_that_its_factorisation_misses_is_shown_as_such(
    monkeypatch, saved_run, provenance
):
    """The control: rates of other decisions."""
    monkeypatch.setattr(run_tables, "factorisation", lambda rows: factorisation(rows.head(7)))
    page = build_page([], fit=None, runs=[saved_run], provenance=provenance)
    assert "NO" in [row[-1] for rows in tables_of(page, SECTION) for row in rows]


def test_a_run_of_several_streams_and_k_has_a_section_each(provenance):
    study = Study(["direct", "indirect"], ["none", "bm25-dossier"], ["rules"], ks=[1, 3])
    saved = run_study(study, command="x", name="both").saved
    page = build_page([], fit=None, runs=[saved], provenance=provenance)
    texts = Reader(page).texts
    assert "Routers and judges on DIRECT, in the run both" in texts["run-1-direct"]
    assert "at K = 3" in texts["run-1-indirect"]
    [measured] = [
        rows
        for rows in tables_of(page, "run-1-indirect")
        if "the paper’s" in rows[0] and "with" in rows[0]
    ]
    paper = dict(
        zip(
            zip(column(measured, "router"), column(measured, "K"), strict=True),
            column(measured, "the paper’s"),
            strict=True,
        )
    )
    assert paper["none", "3"] == "50 %"
    assert paper["bm25-dossier", "3"] == percent(119 / 128)
    assert paper["bm25-dossier", "1"] == ""
    assert column(measured, "ours")[-1] == "outside"  # rules is right on all of them


def test_a_run_whose_parts_are_missing_shows_the_rest(saved_run, provenance):
    """A stream without kinds of reference, all standing, under one router that delivers nothing."""
    run = saved_run.run
    only = run.decisions.filter(
        pl.col("router") == "none", pl.col("label") == 0, pl.col("judge") == "rules"
    ).with_columns(kind=pl.lit(None, dtype=pl.String))
    bare = replace(
        saved_run, run=replace(run, decisions=only, deliveries=run.deliveries.clear(), log=None)
    )
    page = build_page([], fit=None, runs=[bare], provenance=provenance)
    text = Reader(page).texts[SECTION]
    assert "the stream tells no kinds of reference" in text
    assert "100 % of decisions should stand" in text


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
    assert page.index("in the run y<") < page.index("in the run x<")
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
    else:  # a field of another kind
        name, value = how
        manifest.write_text(json.dumps(document | {name: value}))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("no manifest", "must be the folder of a run"),
        ("a torn manifest", "manifest.json: run(=no JSON)"),
        ("another kind", "manifest.json: kind(="),
        ("a newer version", "format(=99) must be 1: the run is from another version"),
        ("a missing file", "calls.parquet) is missing"),
        ("two runs mixed", "SHA-256 is another"),
        *(
            ((name, value), f"manifest.json: {name}(=")
            for name in ("streams", "commands", "models")
            for value in (None, 3, "x", [3], {})
        ),
        *(
            ((name, value), f"{name}(=")
            for name in ("sha256", "asked")
            for value in (None, [], "x")
        ),
        (("streams", [{"stream": "s", "seed": "0", "sha256": {}, "made": {}}]), "seed(="),
        (("commands", [{}]), "command(="),
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


def test_a_damaged_manifest_is_refused_by_a_run_that_would_add_to_it(run_folder, tmp_path, capsys):
    folder = tmp_path / "broken"
    shutil.copytree(run_folder, folder)
    broken(folder, ("streams", None))
    assert run(["run", "direct", "--router", "none", "-o", str(folder)]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "streams(=None) must be a list" in error


def test_runs_of_other_streams_by_one_name_are_not_compared(tmp_path, capsys):
    """Decisions of two streams may share their ids and have nothing else in common."""
    for name, standing in (("all", "30"), ("none", "0")):
        asked = ["--decisions", "30", "--standing", standing, "--quiet"]
        assert run(["stream", "direct", *asked, "-o", str(tmp_path / name)]) == 0
        folder = str(tmp_path / f"run-{name}")
        assert run(["run", str(tmp_path / name), "--router", "none", "-o", folder, "--quiet"]) == 0
    capsys.readouterr()
    runs, output = [str(tmp_path / f"run-{name}") for name in ("all", "none")], tmp_path / "r.html"
    assert run(["report", "--compare", *runs, "-o", str(output)]) == 2
    error = capsys.readouterr().err
    assert "stream(=direct) must be the same in run-all and run-none" in error
    assert not output.exists()


def test_the_paper_s_figures_stand_beside_streams_of_its_size_alone():
    assert figures_beside("direct", 110, 50) == paper_figures()
    assert figures_beside("direct", 110, 110) == {}
    assert figures_beside("direct", 1, 1) == {}
    assert figures_beside("mine", 110, 50) == {}


def test_two_sweeps_are_refused(tmp_path, capsys):
    arguments = ["report", "a.parquet", "b.parquet", "-o", str(tmp_path / "r.html")]
    assert run(arguments) == 2
    assert "must be one file" in capsys.readouterr().err


def test_a_run_is_read_back_as_it_was(saved_run, run_folder):
    again = read_run(run_folder)
    assert again.run.measures().equals(saved_run.run.measures())
    assert again.run.log.height == 60


def test_two_runs_are_compared(saved_run, run_folder, provenance):
    worse = saved_run.run.decisions.with_columns(
        right=pl.col("right") & (pl.int_range(pl.len()) % 2 == 0)
    )
    other = replace(saved_run, name="y", run=replace(saved_run.run, decisions=worse))
    page = build_page([], fit=None, compared=(saved_run, other), provenance=provenance)
    text = Reader(page).texts["compared"]
    assert "Both runs have 6 episodes; in 6 some decision came out otherwise" in text
    [rows] = tables_of(page, "compared")
    assert column(rows, "gained") == ["0"] * 6
    assert "weak (simulated)" in column(rows, "judge")
    assert "the run y: decisions" in Reader(page).texts["provenance"]
    same = build_page([], fit=None, compared=(saved_run, saved_run), provenance=provenance)
    assert "in 0 some decision came out otherwise, and none differs" in same
    nothing = replace(
        other, run=replace(other.run, decisions=worse.with_columns(router=pl.lit("x")))
    )
    page = build_page([], fit=None, compared=(saved_run, nothing), provenance=provenance)
    assert "Nothing to compare" in Reader(page).texts["compared"]


def test_the_command_compares_two_runs(run_folder, monkeypatch, tmp_path, capsys):
    from sim import verification

    monkeypatch.setattr(verification, "CLAIMS", {})
    output = tmp_path / "report.html"
    asked = ["report", "--compare", str(run_folder), str(run_folder), "-o", str(output)]
    assert run(asked) == 0
    assert 'id="compared"' in output.read_text()
    assert run([*asked[:2], str(run_folder), "nowhere", *asked[4:]]) == 2
    assert "nowhere" in capsys.readouterr().err
