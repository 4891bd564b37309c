import numpy as np
import polars as pl
import pytest

from sim.ceiling_points import ceiling_points, observed
from sim.runs import run
from sim.streams import indirect, natural
from theory import BadInput


def points_of(made, **options):
    """The points of a stream, judged by what an episode without routing gets right."""
    found = run(made, routers=["none"], judges=["rules"])
    return ceiling_points(found.log, found.decisions, **options)


def outside(points, against="predicted"):
    return points.filter(
        (pl.col(against) < pl.col("low")) | (pl.col(against) > pl.col("high"))
    ).height


@pytest.fixture(scope="module")
def points():
    return points_of(natural(np.random.default_rng(11), decisions=4_000, freshness=24.0))


def test_every_panel_lies_on_its_prediction(points):
    """Null: 36 bins within limits at 99 % each. More than 4 outside has chance < 1e-3."""
    assert points.height == 36
    assert outside(points) <= 4


def test_decisions_valid_when_made_and_evidence_ages_lie_on_the_ceiling(points):
    on_it = points.filter((pl.col("group") != "all") | (pl.col("panel") == "evidence age"))
    assert on_it["ceiling"].to_list() == pytest.approx(on_it["predicted"].to_list())


def test_all_decisions_lie_below_the_ceiling_of_their_execution_gap(points):
    """The control: their freshness gap costs them more than the limits allow."""
    below = points.filter((pl.col("panel") == "execution gap") & (pl.col("group") == "all"))
    assert (below["predicted"] < below["ceiling"]).all()
    assert outside(below, "ceiling") >= 6


def test_a_bins_prediction_is_not_that_of_its_mean(points):
    assert (points["ceiling"] >= (-points["x"]).exp()).all()
    wide = points.filter(pl.col("x") == pl.col("x").max())
    assert (wide["ceiling"] > (-wide["x"]).exp() * 1.02).all()


def test_what_stands_is_right_without_routing():
    made = natural(np.random.default_rng(1), decisions=200)
    points = points_of(made, bins=1).filter(panel="evidence age")
    standing = [truth.label == 0 for truth in made.gold.truths.values()]
    assert points["measured"].item() == pytest.approx(sum(standing) / 200)


def test_no_bin_is_rejected_unless_some_right_choices_go_wrong(points):
    """Null: Holm at 1 % over 36 bins. The control: a fifth taken from every measured share."""
    assert not points["rejected"].any()
    made = natural(np.random.default_rng(11), decisions=4_000, freshness=24.0)
    found = run(made, routers=["none"], judges=["rules"])
    worse = found.decisions.with_columns(right=pl.col("right") & (pl.int_range(pl.len()) % 5 != 0))
    assert ceiling_points(found.log, worse)["rejected"].sum() >= 3


def test_decisions_that_share_facts_at_once_are_one_trial():
    alone = points_of(natural(np.random.default_rng(2), decisions=400))
    shared = points_of(natural(np.random.default_rng(2), decisions=400, share=8))
    assert (alone["trials"] == alone["decisions"]).all()
    assert (shared["trials"] < shared["decisions"]).all()
    width = pl.col("high") - pl.col("low")
    assert shared.select(width.mean()).item() > 1.3 * alone.select(width.mean()).item()


def test_a_stream_without_a_log_is_refused():
    with pytest.raises(BadInput, match="log of changes"):
        observed(*indirect(np.random.default_rng(0), decisions=16))
