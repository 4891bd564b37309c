import numpy as np
import pytest
from by_hand import Recorder

from routers.conformance import check_router
from sim import Asking, episode
from sim.oracles import ORACLES, Oracle, make_oracle
from sim.streams import RELATED, indirect, stress


def every_other(notice_id):
    """A lookup for the kit's own ids: every other notice concerns all decisions, the rest none."""
    return [f"d{number}" for number in range(14)] if notice_id[-1] in "02468" else []


def test_an_oracle_conforms():
    check_router(lambda k: Oracle("oracle", every_other, k=k), rng=np.random.default_rng(0))


@pytest.mark.parametrize("make", [indirect, stress])
@pytest.mark.parametrize("name", ORACLES)
def test_an_oracle_delivers_what_gold_says_and_nothing_else(make, name):
    stream, gold = make(np.random.default_rng(3))
    oracle = make_oracle(name, gold)
    assert oracle.gold
    assert oracle.unbounded
    played = episode(stream, oracle, Recorder("keep"))
    relations = {"decisive": ("decisive",), "related": RELATED}[name]
    expected = {
        (truth.decision, notice)
        for truth in gold.truths.values()
        for notice, relation in truth.notices
        if relation in relations
    }
    assert set(played.deliveries.select("decision", "notice").iter_rows()) == expected


def test_an_oracle_too_delivers_nothing_after_the_judge_was_asked():
    stream, gold = indirect(np.random.default_rng(3))
    asking = Asking(lead=30.0)
    played = episode(stream, make_oracle("decisive", gold), Recorder("keep"), asking=asking)
    asked = dict(played.decisions.select("decision", "asked").iter_rows())
    rows = list(played.deliveries.select("decision", "published").iter_rows())
    assert 0 < len(rows) < 64
    assert all(published <= asked[decision] for decision, published in rows)
