"""A bound of your own as a property test: Hypothesis looks for hazards and timelines against it.

Run it under pytest, or as it stands. The bound: two more hours until the action cost at most the
share of right decisions that a fresh decision loses in two hours at the highest hazard there is.
"""

from hypothesis import given
from hypothesis import strategies as st

from theory import Constant, Timeline, strategies, survival


@given(strategies.rates(), strategies.gaps(), st.floats(0.0, 100.0))
def test_waiting_costs_at_most_what_a_fresh_decision_loses(rate, gap, longer):
    hazard = Constant(rate)
    now, later = (survival(hazard, Timeline.from_gaps(it)) for it in (gap, gap + longer))
    lost_at_once = 1 - hazard.survival(0.0, longer)
    assert now - later <= lost_at_once + 1e-12


@given(strategies.piecewise(), strategies.timelines())
def test_the_product_of_both_gaps_is_the_whole(hazard, timeline):
    by_parts = hazard.survival(timeline.verified, timeline.decided) * hazard.survival(
        timeline.decided, timeline.action
    )
    assert abs(survival(hazard, timeline) - by_parts) <= 1e-9


if __name__ == "__main__":
    test_waiting_costs_at_most_what_a_fresh_decision_loses()
    test_the_product_of_both_gaps_is_the_whole()
    print("no counterexample found")
