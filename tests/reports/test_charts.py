import json
import math
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.charts.ceiling import ceiling_charts
from reports.charts.factorisation import factorisation_charts
from reports.charts.hazards import age_hazards, fact_hazards
from reports.charts.layers import spread
from reports.charts.look import REJECTED, SHARES
from reports.charts.risk_split import risk_split_charts
from theory import Constant, Timeline, risk_split
from theory.estimate import change_times, fit
from theory.inference import binomial_limits


def rows_with(drawing, *columns):
    """The rows of the drawing's data that have all of these columns."""
    return [
        row
        for data in drawing.vega["data"]
        for row in data.get("values", [])
        if set(columns) <= set(row)
    ]


@pytest.fixture(scope="module")
def survivals(outcomes):
    return outcomes["freshness-ceiling"].cells.filter(pl.col("quantity") == "no change")


@pytest.fixture(scope="module")
def shares(outcomes):
    return outcomes["risk-split"].cells.filter(
        pl.col("hazard") == 0.01, pl.col("freshness") == 24, pl.col("quantity").is_in(list(SHARES))
    )


@pytest.fixture(scope="module")
def accuracies(outcomes):
    return outcomes["factorisation"].cells.filter(pl.col("quantity") == "accuracy")


@pytest.fixture(scope="module")
def drawings(survivals, shares, accuracies, fit):
    fitted = fit.saved.fit
    return [
        *ceiling_charts(survivals),
        *risk_split_charts(shares),
        *factorisation_charts(accuracies),
        fact_hazards(fitted.pooled, fitted.facts, line=fit.simulated),
        age_hazards(fitted.ages, line=fit.simulated),
    ]


def test_drawings_have_names_of_their_own_and_share_no_identifier(drawings):
    assert len({drawing.name for drawing in drawings}) == len(drawings)
    for drawing in drawings:
        assert drawing.svg.startswith("<svg")
        assert not re.search(r"\s(id|href|xlink:href)=", drawing.svg)
        assert "url(" not in drawing.svg


def test_drawings_take_their_colours_from_the_page(drawings):
    for drawing in drawings:
        colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', drawing.svg))
        assert colours <= {"none", "transparent", "currentColor"} | {
            colour for colour in colours if colour.startswith("var(--")
        }


def test_the_same_rows_give_the_same_drawing(survivals):
    first, again = ceiling_charts(survivals), ceiling_charts(survivals)
    assert [drawing.svg for drawing in first] == [drawing.svg for drawing in again]
    assert json.dumps(first[0].vega) == json.dumps(again[0].vega)


def test_the_ceiling_has_a_drawing_a_freshness_gap_with_every_measured_point(survivals):
    drawn = ceiling_charts(survivals)
    assert len(drawn) == survivals["freshness"].n_unique()
    for drawing, (_, rows) in zip(
        drawn, sorted(survivals.partition_by("freshness", as_dict=True).items()), strict=True
    ):
        figures = ("hazard", "gap", "measured", "low", "high")
        assert {tuple(row[name] for name in figures) for row in rows_with(drawing, *figures)} == {
            *rows.select(figures).iter_rows()
        }


def test_the_lines_of_the_ceiling_are_the_theory(survivals):
    for drawing in ceiling_charts(survivals):
        lines = rows_with(drawing, "survival", "ceiling")
        assert {row["hazard"] for row in lines} == set(survivals["hazard"])
        for row in lines:
            assert row["ceiling"] == pytest.approx(math.exp(-row["hazard"] * row["gap"]))
            assert row["survival"] <= row["ceiling"]


def test_a_rejected_point_is_drawn_in_another_colour(survivals):
    doctored = survivals.with_columns(rejected=pl.int_range(pl.len()) == 0)
    assert not any(REJECTED in drawing.svg for drawing in ceiling_charts(survivals))
    assert sum(drawing.svg.count(REJECTED) for drawing in ceiling_charts(doctored)) == 2


def test_areas_of_the_risk_split_are_the_theory_and_stack_to_one(shares):
    for drawing, window in zip(
        risk_split_charts(shares), sorted(set(shares["window"])), strict=True
    ):
        rows = rows_with(drawing, "share", "bottom", "top")
        for gap in {row["gap"] for row in rows}:
            split = risk_split(
                Constant(0.01), Timeline.from_gaps(gap, freshness_gap=24.0, window=window * gap)
            )
            heights = {
                row["share"]: row["top"] - row["bottom"] for row in rows if row["gap"] == gap
            }
            assert heights == pytest.approx(split._asdict(), abs=1e-12)


def test_dots_of_the_risk_split_count_the_shares_below_them(shares):
    for drawing, (_, rows) in zip(
        risk_split_charts(shares),
        sorted(shares.partition_by("window", as_dict=True).items()),
        strict=True,
    ):
        dots = rows_with(drawing, "border", "measured", "low", "high")
        assert len(dots) == 3 * rows["gap"].n_unique()
        for dot in dots:
            below = rows.filter(
                pl.col("gap") == dot["gap"], pl.col("quantity").is_in(dot["border"].split(" + "))
            )
            count = round((below["measured"] * below["trials"]).sum())
            limits = binomial_limits(count, below["trials"][0], confidence=0.99)
            assert dot["measured"] == count / below["trials"][0]
            assert [dot["low"], dot["high"]] == pytest.approx([float(limit) for limit in limits])


def test_differences_are_measured_less_predicted(accuracies):
    diagonal, differences = factorisation_charts(accuracies)
    assert len(rows_with(diagonal, "predicted", "measured")) == accuracies.height
    for row in rows_with(differences, "measured_less"):
        assert row["measured_less"] == row["measured"] - row["predicted"]
        assert row["low_less"] <= row["measured_less"] <= row["high_less"]


def test_every_fact_and_age_is_drawn_with_its_limits(fit):
    fitted = fit.saved.fit
    facts = rows_with(fact_hazards(fitted.pooled, fitted.facts, line=0.02), "fact", "rate")
    assert {(row["fact"], row["rate"], row["low"], row["high"]) for row in facts} == {
        ("all facts", fitted.pooled.rate, fitted.pooled.low, fitted.pooled.high),
        *((fact.fact, fact.rate, fact.low, fact.high) for fact in fitted.facts),
    }
    ages = rows_with(age_hazards(fitted.ages, line=0.02), "start", "end", "rate")
    assert [row["rate"] for row in ages] == [age.rate for age in fitted.ages]
    assert all(row["start"] < row["end"] for row in ages)


def test_facts_that_never_changed_still_have_a_place():
    log = pl.DataFrame({"fact": ["a", "a", "b"], "time": [1.0, 5.0, 50.0]})
    fitted = fit_of(log, quiet="b")
    drawing = fact_hazards(fitted.pooled, fitted.facts, line=None)
    places = [row["at"] for row in rows_with(drawing, "at")]
    assert min(places) > 0
    assert "NaN" not in drawing.svg
    assert "Infinity" not in drawing.svg


def fit_of(log, *, quiet):
    """The fit of a log whose span leaves one fact's changes out."""
    fitted = fit(change_times(log, span_start=0.0, span_end=10.0))
    [unchanged] = [fact for fact in fitted.facts if fact.fact == quiet]
    assert unchanged.rate == 0
    return fitted


def test_a_log_without_changes_can_be_drawn():
    log = pl.DataFrame({"fact": ["a"], "time": [50.0]})
    fitted = fit(change_times(log, span_start=0.0, span_end=10.0))
    assert "NaN" not in fact_hazards(fitted.pooled, fitted.facts, line=None).svg


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0.001, 0.12))
def test_spread_labels_keep_their_order_and_their_distance(heights, apart):
    moved = spread(heights, apart=apart)
    order = np.argsort(heights, kind="stable")
    assert (np.diff(np.asarray(moved)[order]) >= apart - 1e-12).all()
    assert all(height <= 1 + 1e-12 for height in moved)


@given(st.lists(st.integers(0, 9), unique=True, max_size=10))
def test_labels_that_are_far_enough_apart_stay(tenths):
    heights = [tenth / 10 for tenth in tenths]
    assert spread(heights, apart=0.09) == heights


def test_a_single_fact_is_not_drawn_twice(fit):
    fitted = fit.saved.fit
    names = [
        row["fact"]
        for row in rows_with(fact_hazards(fitted.pooled, fitted.facts[:1], line=None), "fact")
    ]
    assert names == [fitted.facts[0].fact]
