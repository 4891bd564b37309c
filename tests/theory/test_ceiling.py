import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory import (
    BadInput,
    Constant,
    Factorisation,
    Piecewise,
    Timeline,
    ceiling,
    max_gap,
    required_recall,
    risk_split,
    survival,
)
from theory.strategies import constants, gaps, hazards, probabilities, timelines

fact_lists = st.lists(hazards(), min_size=1, max_size=4)


@given(fact_lists, timelines())
def test_no_decision_outlives_its_ceiling(facts, timeline):
    assert survival(facts, timeline) <= ceiling(facts, timeline)


@given(fact_lists, timelines())
def test_evidence_verified_at_the_decision_attains_the_ceiling(facts, timeline):
    fresh = Timeline(
        timeline.written,
        timeline.decided,
        timeline.decided,
        *[timeline.deadline, timeline.action],
        timeline.outcome,
    )
    assert survival(facts, fresh) == ceiling(facts, fresh)


@given(st.lists(constants(), min_size=1, max_size=5), timelines())
def test_constant_hazards_add(facts, timeline):
    together = Constant(sum(fact.rate for fact in facts))
    assert survival(facts, timeline) == pytest.approx(
        survival(together, timeline), rel=1e-9, abs=1e-300
    )


@given(fact_lists, hazards(), timelines())
def test_one_more_fact_never_raises_the_ceiling(facts, more, timeline):
    assert ceiling([*facts, more], timeline) <= ceiling(facts, timeline)


@given(st.floats(1e-3, 1.0), st.floats(1e-3, 10.0))
def test_one_more_fact_that_can_change_tightens_strictly(rate, gap):
    timeline = Timeline.from_gaps(gap)
    assert ceiling([Constant(rate), Constant(rate)], timeline) < ceiling(Constant(rate), timeline)
    assert ceiling([Constant(rate), Constant(0.0)], timeline) == ceiling(Constant(rate), timeline)


@given(fact_lists, timelines(), st.one_of(st.just(0.0), gaps()))
def test_the_four_shares_are_probabilities_that_add_to_one(facts, timeline, delay):
    split = risk_split(facts, timeline, delay=delay)
    assert all(-1e-15 <= share <= 1 for share in split)
    assert sum(split) == pytest.approx(1.0, abs=1e-12)
    assert split.routed_ceiling == split.safe + split.recoverable
    assert split.safe == survival(facts, timeline)


@given(fact_lists, timelines())
def test_without_delay_the_stale_share_is_what_changed_before_the_decision(facts, timeline):
    split = risk_split(facts, timeline)
    held = np.prod([fact.survival(timeline.verified, timeline.decided) for fact in facts])
    assert split.stale == pytest.approx(1 - held, abs=1e-12)


@given(fact_lists, timelines(), gaps(), gaps())
def test_later_news_is_never_less_late(facts, timeline, delay, more):
    soon, later = (risk_split(facts, timeline, delay=lag) for lag in (delay, delay + more))
    assert later.late >= soon.late - 1e-12
    assert later.stale <= soon.stale + 1e-12


def test_the_recoverable_share_vanishes_as_the_deadline_falls_to_the_decision():
    for window in (1.0, 1e-3, 1e-6, 1e-9):
        split = risk_split(Constant(0.5), Timeline.from_gaps(2.0, freshness_gap=1.0, window=window))
        assert 0 < split.recoverable <= 0.5 * window


def test_the_shares_by_hand():
    timeline = Timeline.from_gaps(3.0, freshness_gap=1.0, window=2.0)
    split = risk_split(Constant(0.1), timeline)
    up_to = [math.exp(-0.1 * age) for age in (1.0, 3.0, 4.0)]
    assert split == pytest.approx(
        (1 - up_to[0], up_to[0] - up_to[1], up_to[1] - up_to[2], up_to[2])
    )
    delayed = risk_split(Constant(0.1), timeline, delay=0.5)
    up_to = [math.exp(-0.1 * age) for age in (0.5, 2.5, 4.0)]
    assert delayed == pytest.approx(
        (1 - up_to[0], up_to[0] - up_to[1], up_to[1] - up_to[2], up_to[2])
    )
    # A delay longer than the whole past: nothing is known at the decision.
    assert risk_split(Constant(0.1), timeline, delay=9.0)[:2] == (0.0, 0.0)


def test_arrays_of_timelines_give_arrays_of_shares():
    action = np.array([1.0, 10.0, 100.0])
    timeline = Timeline.from_gaps(action)
    assert survival(Constant(0.01), timeline) == pytest.approx(np.exp(-0.01 * action))
    split = risk_split([Constant(0.01), Constant(0.02)], timeline)
    assert np.sum(split, axis=0) == pytest.approx(np.ones(3))


@given(st.lists(hazards(), min_size=1, max_size=3), st.floats(1e-6, 1.0), st.floats(0.0, 50.0))
def test_the_longest_gap_reaches_the_target_and_a_longer_one_does_not(facts, target, fresh):
    gap = max_gap(facts, target, fresh)
    if gap > 0 and math.isfinite(gap):
        at = survival(facts, Timeline.from_gaps(gap, freshness_gap=fresh))
        assert at == pytest.approx(target, rel=1e-6, abs=1e-9)
    beyond = max(gap, 0.0) * 1.01 + 1e-3
    if math.isfinite(beyond):
        assert survival(facts, Timeline.from_gaps(beyond, freshness_gap=fresh)) <= target + 1e-9
    else:
        assert survival(facts, Timeline.from_gaps(1e6, freshness_gap=fresh)) >= target


def test_the_longest_gap_by_hand():
    assert max_gap(Constant(0.02), 0.95) == pytest.approx(-math.log(0.95) / 0.02)
    assert max_gap([Constant(0.01), Constant(0.01)], 0.95, 1.0) == pytest.approx(
        -math.log(0.95) / 0.02 - 1.0
    )
    assert max_gap(Constant(1.0), 0.9, freshness_gap=2.0) < 0
    assert max_gap(Constant(0.0), 0.9) == math.inf
    assert max_gap(Constant(1.0), 0.0) == math.inf
    assert max_gap(Constant(1.0), 1.0) == 0.0
    assert max_gap(Piecewise([5.0], [0.0, 0.1]), math.exp(-0.2)) == pytest.approx(7.0)
    assert max_gap(Piecewise([5.0], [0.1, 0.0]), math.exp(-0.9)) == math.inf


@given(constants(), timelines(), probabilities(), *[probabilities()] * 3)
def test_the_required_recall_gives_the_target(hazard, timeline, target, K, S, L):
    if S <= L:
        with pytest.raises(BadInput, match="must be > L"):
            required_recall(hazard, timeline, target, K=K, S=S, L=L)
        return
    answer = required_recall(hazard, timeline, target, K=K, S=S, L=L)
    split = risk_split(hazard, timeline)
    pi = 1 - split.safe
    assert answer.reachable == (answer.recall <= 1)
    assert (answer.binding is None) == answer.reachable
    if 0 <= answer.recall <= 1 and pi > 0 and split.recoverable > 1e-9 and S - L > 1e-6:
        rho = min(answer.recall * split.recoverable / pi, 1.0)
        assert Factorisation(pi, K, rho, S, L).accuracy == pytest.approx(target, abs=1e-6)


def test_an_unreachable_target_names_what_binds():
    timeline = Timeline.from_gaps(10.0, freshness_gap=1.0, window=5.0)
    stale = Timeline.from_gaps(10.0, freshness_gap=50.0, window=9.0)
    prompt = Timeline.from_gaps(10.0, window=10.0)
    assert required_recall(Constant(0.1), timeline, 0.99).binding == "late"
    assert required_recall(Constant(0.1), stale, 0.99).binding == "stale"
    assert required_recall(Constant(0.1), prompt, 0.99, S=0.5).binding == "judge"
    assert required_recall(Constant(0.1), prompt, 0.99).binding is None
    assert required_recall(Constant(0.0), prompt, 1.0).recall <= 0
    assert required_recall(Constant(0.0), prompt, 1.0, K=0.9).recall == math.inf


def test_more_than_one_timeline_has_no_one_required_recall():
    with pytest.raises(BadInput, match="one timeline"):
        required_recall(Constant(0.1), Timeline.from_gaps(np.array([1.0, 2.0])), 0.9)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: survival([], Timeline.from_gaps(1.0)),
        lambda: max_gap([], 0.5),
        lambda: max_gap(Constant(0.1), 1.5),
        lambda: max_gap(Constant(0.1), float("nan")),
        lambda: max_gap(Constant(0.1), 0.5, -1.0),
        lambda: risk_split(Constant(0.1), Timeline.from_gaps(1.0), delay=-1.0),
        lambda: required_recall(Constant(0.1), Timeline.from_gaps(1.0), 0.9, K=1.1),
    ],
)
def test_bad_questions_are_refused(ask):
    with pytest.raises(BadInput):
        ask()
