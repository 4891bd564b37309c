import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory import BadInput, Timeline
from theory.strategies import timelines

NAMES = ["written", "verified", "decided", "deadline", "action", "outcome"]


@given(timelines())
def test_the_gaps_add_up_to_the_age_of_the_evidence(timeline):
    assert timeline.freshness_gap + timeline.execution_gap == pytest.approx(timeline.evidence_age)
    assert timeline.freshness_gap >= 0
    assert timeline.execution_gap > 0


@given(st.permutations(range(6)))
def test_any_wrong_order_is_refused_by_the_names_of_two_timestamps(order):
    times = dict(zip(NAMES, (float(place) for place in order), strict=True))
    if list(order) == sorted(order):
        assert Timeline(**times).outcome == 5.0
        return
    with pytest.raises(BadInput) as refused:
        Timeline(**times)
    later = refused.value.field
    earlier = NAMES[NAMES.index(later) - 1]
    assert times[later] < times[earlier]
    assert earlier in str(refused.value)


def test_only_the_deadline_must_lie_strictly_after_what_comes_before():
    Timeline(0, 0, 0, 1, 1, 1)
    with pytest.raises(BadInput, match=r"deadline\(=0\.0\) must be after decided\(=0\)"):
        Timeline(0, 0, 0, 0, 1, 1)


def test_arrays_are_checked_in_every_element():
    decided = np.array([0.0, 1.0, 2.0])
    timeline = Timeline(decided - 2, decided - 1, decided, decided + 1, decided + 2, decided + 2)
    assert timeline.execution_gap == pytest.approx(np.full(3, 2.0))
    with pytest.raises(BadInput, match=r"deadline\(=2\.0\) must be after decided\(=2\)"):
        Timeline(decided - 2, decided - 1, decided, np.array([1.0, 2.0, 2.0]), 9.0, 9.0)


def test_scalars_broadcast_and_unequal_shapes_do_not():
    timeline = Timeline(0.0, 0.0, 0.0, np.array([1.0, 2.0]), 5.0, 5.0)
    assert timeline.action == 5.0
    with pytest.raises(BadInput, match="one shape"):
        Timeline(0.0, 0.0, 0.0, np.array([1.0, 2.0]), np.array([5.0, 5.0, 5.0]), 9.0)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "noon", None])
def test_what_is_not_a_finite_number_is_refused_by_name(value):
    with pytest.raises(BadInput, match=r"^verified\(="):
        Timeline(0.0, value, 0.0, 1.0, 1.0, 1.0)


def test_a_timeline_from_gaps_starts_at_the_decision():
    timeline = Timeline.from_gaps(24.0, freshness_gap=2.0, window=12.0, written_before=5.0)
    assert timeline == Timeline(-7.0, -2.0, 0.0, 12.0, 24.0, 24.0)
    assert Timeline.from_gaps(24.0).deadline == 24.0
    with pytest.raises(BadInput, match="deadline"):
        Timeline.from_gaps(0.0)
    with pytest.raises(BadInput, match="action"):
        Timeline.from_gaps(1.0, window=2.0)
