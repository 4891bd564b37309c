import numpy as np
import polars as pl
import pytest

from sim.risk_shares import SHARES, risk_shares
from sim.runs import run
from sim.streams import natural
from theory import Constant, Timeline, risk_split


def log_of(**options):
    made = natural(np.random.default_rng(5), decisions=2_000, **options)
    return run(made, routers=["none"], judges=["rules"]).log


@pytest.mark.parametrize("delay", [0.0, 6.0])
def test_the_stream_s_own_shares_are_those_of_theory(delay):
    """Null: Holm at 1 % over four shares."""
    shares = risk_shares(log_of(delay=delay))
    assert shares["share"].to_list() == list(SHARES)
    assert shares["measured"].sum() == pytest.approx(1)
    assert shares["predicted"].sum() == pytest.approx(1)
    assert not shares["rejected"].any()


def test_predictions_for_other_facts_are_rejected():
    """The control: hazards half as high again than they were."""
    log = log_of().with_columns(rate=pl.col("rate") * 1.5)
    assert risk_shares(log)["rejected"].any()


def test_a_decision_s_prediction_is_theory_s_risk_split():
    log = log_of(delay=6.0).filter(pl.col("published").is_finite()).head(1)
    row = log.row(0, named=True)
    timeline = Timeline(
        *(row[name] for name in ("verified", "verified", "decided", "deadline", "action", "action"))
    )
    split = risk_split(Constant(row["rate"]), timeline, delay=6.0)
    assert risk_shares(log)["predicted"].to_list() == pytest.approx(list(split))
