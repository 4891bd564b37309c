import base64
import json
import re
import zlib
from dataclasses import replace

import polars as pl
import pytest
from read_page import Reader, tables_of

from reports import ShownFit, build_page
from reports.page import SECTIONS
from reports.page.claims import claim_view
from reports.page.lede import lede
from reports.page.numbers import p_value, quantity, share
from theory.claims.proof import Proof, Step


def without_what_varies(page):
    return re.sub(r"<dd data-varies>.*?</dd>", "", page)


def written(frame, **formats):
    return [
        [write(value) for write, value in zip(formats.values(), row, strict=True)]
        for row in frame.select(*formats).iter_rows()
    ]


def test_the_table_of_the_ceiling_holds_the_frame_s_numbers(page, outcomes):
    cells = outcomes["freshness-ceiling"].cells
    [[headings, *rows]] = tables_of(page, "ceiling")
    survivals = cells.filter(pl.col("quantity") == "no change").sort("freshness", "hazard", "gap")
    bounds = cells.filter(pl.col("quantity") == "ceiling").sort("freshness", "hazard", "gap")
    assert headings[3] == "ceiling"
    assert [row[3] for row in rows] == [share(bound) for bound in bounds["predicted"]]
    assert [row[:3] + row[4:] for row in rows] == written(
        survivals,
        freshness=quantity,
        hazard=quantity,
        gap=quantity,
        predicted=share,
        measured=share,
        low=share,
        high=share,
        p_value=p_value,
    )


def test_the_table_of_the_risk_split_is_a_slice_of_the_frame(page, outcomes):
    cells = outcomes["risk-split"].cells
    [[_, *rows]] = tables_of(page, "risk")
    slice_ = cells.filter(
        pl.col("hazard") == 0.1,
        pl.col("freshness") == 24,
        pl.col("quantity") != "gain of perfect routing",
    ).sort("window", "gap", maintain_order=True)
    assert rows == written(
        slice_,
        window=quantity,
        gap=quantity,
        quantity=str,
        predicted=share,
        measured=share,
        low=share,
        high=share,
        p_value=p_value,
    )


def test_the_table_of_the_factorisation_holds_the_frame_s_numbers(page, outcomes):
    cells = outcomes["factorisation"].cells.filter(pl.col("quantity") == "accuracy")
    [[_, *rows]] = tables_of(page, "factorisation")
    formats = {"judge": str, "hazard": quantity, "gap": quantity, "recall": quantity}
    formats |= dict.fromkeys(("predicted", "measured", "low", "high"), share)
    assert rows == written(cells, **formats, p_value=p_value)


def test_the_tables_of_the_hazards_hold_the_fit_s_numbers(page, fit):
    fitted = fit.saved.fit
    rates, ages, tests, ceilings = tables_of(page, "hazards")
    pooled = [quantity(figure) for figure in (fitted.pooled.rate, fitted.pooled.low)]
    assert rates[1][:3] == ["all facts", *pooled]
    assert {row[0] for row in rates[2:]} == {fact.fact for fact in fitted.facts}
    assert [row[1] for row in ages[1:]] == [quantity(age.rate) for age in fitted.ages]
    assert [row[2] for row in tests[1:]] == [
        p_value(test.p_value) for test in [*fitted.pooled.tests, fitted.alike]
    ]
    assert [row[1] for row in ceilings[1:]] == [share(at.ceiling) for at in fit.saved.ceilings]


def test_each_claim_shows_its_headline_and_the_rows_that_fit_worst(page, verifications):
    tables = tables_of(page, "claims")
    text = Reader(page).texts["claims"]
    played = [outcome for found in verifications for _, outcome in found.played]
    for outcome, table in zip(played, tables, strict=True):
        assert p_value(outcome.cells["p_value"].min()) in table[1]
    for found in verifications:
        headline = found.outcome.headline
        for name in ("predicted", "measured"):
            assert share(headline[name]) in text
        for experiment, _ in found.played:
            assert experiment.measures in text
            assert f"{experiment.control}: " in text
        for step in found.proof.steps:
            assert step.says in text
        for assumption in found.claim.assumptions:
            assert assumption in text


def test_the_first_words_are_worked_out_from_the_results(verifications):
    assert lede(verifications).verdict == "7 of 7 claims proven, held and controlled."
    rows = sum(outcome.cells.height for found in verifications for _, outcome in found.played)
    assert f"Of {rows:,} values" in lede(verifications).evidence
    assert " none left " in lede(verifications).evidence


def of_the_engine(found, doctor):
    return replace(found, outcome=doctor(found.outcome))


def of_the_episodes(found, doctor):
    experiment, outcome = found.in_episodes
    return replace(found, in_episodes=(experiment, doctor(outcome)))


def rejecting_one(outcome):
    cells = outcome.cells.with_columns(rejected=pl.int_range(pl.len()) == 1)
    return replace(outcome, cells=cells)


DOCTORED = {
    "1 measured value rejected": rejecting_one,
    "an exact identity broke": lambda outcome: replace(outcome, identities_hold=False),
    "its control was not rejected": lambda outcome: replace(
        outcome, control_rejected=False, control_rejections=0
    ),
}


def test_the_first_words_change_when_a_proof_fails(verifications):
    broken = replace(verifications[0], proof=Proof((Step("It is not so.", "1 = 2", "z3", False),)))
    assert lede([broken, *verifications[1:]]).verdict == (
        "6 of 7 claims proven, held and controlled; "
        "freshness ceiling (a step of its proof was not established) is not."
    )


@pytest.mark.parametrize("where", [of_the_engine, of_the_episodes])
@pytest.mark.parametrize("reason", DOCTORED)
def test_the_first_words_change_when_any_experiment_of_a_claim_fails(reason, where, verifications):
    last = where(verifications[-1], DOCTORED[reason])
    doctored = [*verifications[:-1], last]
    assert lede(doctored).verdict == (
        f"6 of 7 claims proven, held and controlled; freshness alone ({reason}) is not."
    )
    assert (" 1 left " in lede(doctored).evidence) == (reason == "1 measured value rejected")
    controlled, held = claim_view(last).marks[::-1][:2]
    assert controlled.ok == (reason != "its control was not rejected")
    assert held.ok == (reason == "its control was not rejected")


def test_a_page_with_a_failed_claim_says_so_at_the_claim_and_on_its_chart(
    verifications, fit, provenance
):
    doctored = [of_the_engine(verifications[0], rejecting_one), verifications[-1]]
    page = build_page(doctored, fit=fit, provenance=provenance)
    assert "1 of 2 claims" in page
    assert "2 of 2" not in page
    assert '<details class="claim fails" id="claim-freshness-ceiling">' in page
    assert page.count("not held") == 2  # a title and what is heard of it
    # The doctored row is one of the claim's other quantity, which is not drawn.
    assert "over all of them none is rejected" in page


def test_a_simulated_log_is_called_simulated_and_a_real_one_is_not(
    page, verifications, fit, provenance
):
    assert "From a simulated log, not from real facts" in Reader(page).texts["hazards"]
    source = replace(fit.saved.source, file="outages.csv", where=("impact != none",))
    real = ShownFit(replace(fit.saved, source=source))
    text = Reader(build_page(verifications[-1:], fit=real, provenance=provenance)).texts["hazards"]
    assert "From outages.csv (change times, impact != none)" in text
    assert "simulated" not in text
    assert "the pooled rate" in text


def test_simulated_judges_and_decisions_are_called_simulated(page):
    text = Reader(page).texts["factorisation"]
    assert "simulated judge" in text
    assert not re.search(r"(?<!simulated )judges?\b(?!'s)", text)


def test_what_is_missing_is_said(verifications, provenance):
    only = [found for found in verifications if found.claim.id == "exposure"]
    page = build_page(only, fit=None, provenance=provenance)
    texts = Reader(page).texts
    assert "1 of 1 claim proven, held and controlled." in page
    assert "the claim freshness-ceiling was not verified" in texts["ceiling"]
    assert "The claim risk-split was not verified" in texts["risk"]
    assert "The claim factorisation was not verified" in texts["factorisation"]
    assert "no hazards were fitted" in texts["hazards"]
    nothing = build_page([], fit=None, provenance=provenance)
    assert "No claim was verified" in nothing


def test_whether_one_constant_hazard_fits_is_said(fit, provenance):
    fitted = fit.saved.fit

    def said(p_value, **kind):
        significant = replace(fitted.alike, p_value=p_value)
        shown = replace(fit, saved=replace(fit.saved, fit=replace(fitted, alike=significant)))
        page = build_page([], fit=replace(shown, **kind), provenance=provenance)
        return Reader(page).texts["hazards"]

    assert "one constant hazard is not rejected." in said(0.5)
    assert "is rejected, though it is true of this log: 5 % of such logs are." in said(1e-9)
    assert "is rejected: a ceiling from it is a rough guide." in said(1e-9, simulated=None)


def test_a_page_can_be_made_of_the_few_cells_that_a_slow_engine_plays(
    verifications, fit, provenance
):
    def last_cell(found):
        axes = list(found.experiment.axes)
        cells = found.outcome.cells
        only = cells.join(cells.select(axes).tail(1), on=axes, how="semi")
        return replace(found, outcome=replace(found.outcome, engine="simpy", cells=only))

    few = [last_cell(found) for found in verifications]
    texts = Reader(build_page(few, fit=fit, provenance=provenance)).texts
    assert "1 cell of 20,000 decisions each, simpy engine" in texts["claims"]
    assert "in 1 cell of the claim's experiment" in texts["ceiling"]


def test_a_log_without_exposure_says_that_no_rate_is_known(verifications, fit, provenance):
    unknown = replace(fit.saved.fit.pooled, rate=None, low=None, high=None)
    saved = replace(fit.saved, fit=replace(fit.saved.fit, pooled=unknown), ceilings=())
    page = build_page(verifications[-1:], fit=ShownFit(saved), provenance=provenance)
    assert "no rate is known" in Reader(page).texts["hazards"]


EVIL = "</script><img src=x onerror=alert(1)>&\"'"


def test_names_from_files_cannot_become_markup(verifications, fit, provenance):
    fitted = fit.saved.fit
    facts = (replace(fitted.facts[0], fact=EVIL), *fitted.facts[1:])
    saved = replace(
        fit.saved,
        fit=replace(fitted, facts=facts),
        source=replace(fit.saved.source, file=EVIL, where=(EVIL,)),
    )
    page = build_page(
        verifications[-1:], fit=ShownFit(saved), provenance=replace(provenance, command=EVIL)
    )
    tags = Reader(page).tags
    assert not [tag for tag, _ in tags if tag == "img"]
    assert page.count("</script>") == sum(tag == "script" for tag, _ in tags)
    assert EVIL in Reader(page).texts["hazards"]


def test_a_sweep_takes_the_place_of_the_ceiling_s_own_points(verifications, fit, provenance):
    sweep = pl.DataFrame(
        {
            "hazard": [0.004, 0.004, 0.004, 0.02],
            "gap": [10.0, 10.0, 50.0, 50.0],
            "freshness": [0.0] * 4,
            "decisions": [1000, 1000, 1000, 1000],
            "safe": [961, 960, 819, 900],
        }
    )
    page = build_page(verifications[-1:], fit=fit, provenance=provenance, sweep=sweep)
    [[_, *rows]] = tables_of(page, "ceiling")
    assert [row[:3] for row in rows] == [
        ["0", "0.004", "10"],
        ["0", "0.004", "50"],
        ["0", "0.02", "50"],
    ]
    assert [row[5] for row in rows] == ["0.9605", "0.8190", "0.9000"]
    text = Reader(page).texts["ceiling"]
    assert "1,000 to 2,000 simulated decisions" in text
    assert "3 cells of the sweep; over all of them 1 is rejected" in text


def test_a_large_sweep_is_thinned_and_says_so(verifications, fit, provenance):
    axes = pl.DataFrame({"hazard": [0.001 * i for i in range(1, 21)]}).join(
        pl.DataFrame({"gap": [float(i) for i in range(1, 51)]}), how="cross"
    )
    sweep = axes.with_columns(
        freshness=0.0,
        decisions=10_000,
        safe=(10_000 * (-pl.col("hazard") * pl.col("gap")).exp()).round().cast(pl.Int64),
    )
    page = build_page(verifications[-1:], fit=fit, provenance=provenance, sweep=sweep)
    [[_, *rows]] = tables_of(page, "ceiling")
    assert len(rows) == 5 * 24
    assert "120 of 1,000 cells of the sweep" in Reader(page).texts["ceiling"]


def test_the_same_results_give_the_same_page_but_for_time_and_date(
    page, verifications, fit, natural, saved_run, provenance
):
    later = replace(provenance, seconds=99.0, written=provenance.written.replace(year=2030))
    again = build_page(verifications, fit=fit, natural=natural, runs=[saved_run], provenance=later)
    assert again != page
    assert without_what_varies(again) == without_what_varies(page)


def test_nothing_on_the_page_points_outside(page):
    tags = Reader(page).tags
    assert not [tag for tag, _ in tags if tag in ("link", "img", "iframe", "object", "embed")]
    for _, attributes in tags:
        assert not {"src", "srcset", "xlink:href", "action"} & set(attributes)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style


def test_identifiers_are_unique_and_every_link_leads_somewhere(page):
    reader = Reader(page)
    assert len(reader.ids) == len(set(reader.ids))
    assert {target.removeprefix("#") for target in reader.targets} <= set(reader.ids)


def test_every_chart_has_a_name_and_its_specification(page):
    reader = Reader(page)
    charts = [values for tag, values in reader.tags if values.get("class") == "chart"]
    assert len(charts) == 18
    packed = re.search(r'<script type="text/plain" id="specifications">(.*?)</script>', page)[1]
    specifications = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert set(specifications) == {chart["data-specification"] for chart in charts}
    for chart in charts:
        assert chart["role"] == "img"
        assert chart["aria-label"]
        assert specifications[chart["data-specification"]]["marks"]


def test_the_provenance_tells_how_to_make_the_page_again(page, verifications, fit):
    text = Reader(page).texts["provenance"]
    parts = ("bestbefore report -o 'a & b.html'", "python 3.11", "ab" * 32, "2026-01-02")
    for part in (*parts, fit.saved.source.sha256):
        assert part in text
    for found in verifications:
        assert f"data of {found.claim.id}" in text
    assert text.count(", in episodes") == 3


def test_progress_is_told_section_by_section(verifications, fit, provenance):
    steps = []
    build_page(verifications[-1:], fit=fit, provenance=provenance, advance=steps.append)
    assert steps == [1] * SECTIONS
