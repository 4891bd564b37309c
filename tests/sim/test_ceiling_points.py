import numpy as np
import polars as pl
import pytest
from by_hand import Recorder

from routers import make_router
from sim import episode
from sim.ceiling_points import ceiling_points
from sim.streams import indirect, natural
from theory import BadInput


def outside(points, against="predicted"):
    return points.filter(
        (pl.col(against) < pl.col("low")) | (pl.col(against) > pl.col("high"))
    ).height


@pytest.fixture(scope="module")
def points():
    return ceiling_points(*natural(np.random.default_rng(11), decisions=4_000, freshness=24.0))


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
    points = ceiling_points(*made, bins=1).filter(panel="evidence age")
    choices = episode(made.stream, make_router("none"), Recorder()).decisions["choice"]
    labels = [truth.label for truth in made.gold.truths.values()]
    right = [
        (choice == "switch") == bool(label) for choice, label in zip(choices, labels, strict=True)
    ]
    assert points["standing"].item() == pytest.approx(sum(right) / 200)


def test_decisions_that_share_facts_at_once_are_one_trial():
    alone = ceiling_points(*natural(np.random.default_rng(2), decisions=400))
    shared = ceiling_points(*natural(np.random.default_rng(2), decisions=400, share=8))
    assert (alone["trials"] == alone["decisions"]).all()
    assert (shared["trials"] < shared["decisions"]).all()
    width = pl.col("high") - pl.col("low")
    assert shared.select(width.mean()).item() > 1.3 * alone.select(width.mean()).item()


def test_a_stream_without_a_log_is_refused():
    with pytest.raises(BadInput, match="log of changes"):
        ceiling_points(*indirect(np.random.default_rng(0), decisions=16))
