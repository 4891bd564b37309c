import numpy as np
import polars as pl
import pytest

from sim.predictions import PREDICTIONS, predictions
from sim.runs import run
from sim.streams import make_stream

ROUTERS = ["none", "bm25-text", "bm25-dossier", "broadcast", "related", "decisive"]


@pytest.fixture(scope="module")
def played():
    return run(make_stream("stress", seed=0, decisions=300), routers=ROUTERS, judges=["rules"])


def said(found, prediction, deliveries=None, **doctored):
    decisions = found.decisions.with_columns(**doctored)
    decisions = decisions.with_columns(
        right=(pl.col("choice") == "switch") == (pl.col("label") == 1)
    )
    routed = found.deliveries if deliveries is None else deliveries
    [finding] = [it for it in predictions(decisions, routed) if it.prediction == prediction]
    return finding


def switching(condition, chance, found):
    """The column `choice` where some decisions that would be kept are switched by chance."""
    drawn = pl.Series(np.random.default_rng(0).random(found.decisions.height) < chance)
    return pl.when(condition & drawn).then(pl.lit("switch")).otherwise(pl.col("choice"))


STANDING = pl.col("label") == 0


def test_a_judge_that_never_errs_is_never_exposed_to_its_cost(played):
    assert said(played, "P1").verdict == "holds"
    assert said(played, "P2").verdict == "not contradicted"
    assert said(played, "P3").verdict == "not seen"
    assert said(played, "P4").verdict == "nothing to test it on"


def test_p1_breaks_when_somebody_switches_without_news(played):
    unrouted = switching(pl.col("router") == "none", 0.05, played)
    assert said(played, "P1", choice=unrouted).verdict == "broken"


def test_p2_is_contradicted_by_a_router_whose_news_is_not_acted_on(played):
    ignored = pl.when(pl.col("router") == "broadcast").then(pl.lit("keep")).otherwise("choice")
    assert said(played, "P2", choice=ignored).verdict == "contradicted"


def test_p3_is_seen_where_exposure_costs_and_not_where_all_err_alike(played):
    exposed = switching(STANDING & pl.col("exposed"), 0.3, played)
    assert said(played, "P3", choice=exposed).verdict == "seen"
    alike = switching(STANDING, 0.3, played)
    assert said(played, "P3", choice=alike).verdict == "not seen"
    calm = switching(STANDING & ~pl.col("exposed"), 0.3, played)
    assert said(played, "P3", choice=calm).verdict == "not seen"


def test_p4_is_seen_where_errors_sit_on_the_wrong_time_and_not_where_they_are_spread(played):
    """Every standing decision of STRESS gets a notice of the wrong time: half are taken away."""
    wrong = pl.col("relation").is_in(["ended-before", "starts-after", "other-day"])
    spared = pl.col("decision").str.slice(-1).is_in(["0", "2", "4", "6", "8"])
    deliveries = played.deliveries.filter(~(wrong & spared))
    related = (pl.col("router") == "related") & STANDING
    errors = switching(related & ~spared, 0.5, played)
    finding = said(played, "P4", deliveries, choice=errors)
    assert finding.verdict == "seen"
    assert "errors on notices of the wrong time" in finding.evidence
    spread = switching(related, 0.5, played)
    assert said(played, "P4", deliveries, choice=spread).verdict == "not seen"
    assert said(played, "P4", choice=errors).verdict == "nothing to test it on"


def test_what_a_simulated_judge_does_is_assumed_and_not_tested():
    found = run(make_stream("indirect", seed=0), routers=ROUTERS, judges=["weak"])
    verdicts = {it.prediction: it.verdict for it in predictions(found.decisions, found.deliveries)}
    assert verdicts == {"P1": "holds"} | dict.fromkeys(("P2", "P3", "P4"), "assumed, not tested")


def test_without_the_routers_that_it_needs_a_prediction_is_not_tested(played):
    only = played.decisions.filter(pl.col("router") == "bm25-text")
    verdicts = [it.verdict for it in predictions(only, played.deliveries)]
    assert verdicts[0] == verdicts[1] == verdicts[3] == "nothing to test it on"
    assert len(verdicts) == len(PREDICTIONS)
