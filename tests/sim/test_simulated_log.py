import numpy as np

from sim.change_log import change_log
from theory import Constant
from theory.inference import poisson_limits

HAZARDS = {"never": Constant(0.0), "seldom": Constant(0.01), "often": Constant(0.2)}


def test_changes_come_in_order_within_the_span_and_only_from_facts_that_can_change():
    log = change_log(np.random.default_rng(1), HAZARDS, 500.0)
    assert log.columns == ["fact", "time"]
    assert log["time"].is_sorted()
    assert 0 < log["time"].min() <= log["time"].max() <= 500
    assert set(log["fact"]) == {"seldom", "often"}


def test_facts_that_never_change_leave_an_empty_log():
    log = change_log(np.random.default_rng(1), {"never": Constant(0.0)}, 500.0)
    assert log.is_empty()
    assert log.columns == ["fact", "time"]


def test_each_fact_changes_at_its_own_rate():
    """Null: each fact's changes are Poisson at its rate. Two exact limits at an error of 1e-6.

    The control, a rate 20 % higher, lies outside of the fast fact's.
    """
    hours = 100_000.0
    log = change_log(np.random.default_rng(2), HAZARDS, hours)
    for fact in ("seldom", "often"):
        changes = log.filter(log["fact"] == fact).height
        low, high = poisson_limits(changes, hours, confidence=1 - 1e-6)
        assert low <= HAZARDS[fact].rate <= high
    assert high < 1.2 * HAZARDS["often"].rate


def test_the_same_stream_gives_the_same_log():
    first, again = (change_log(np.random.default_rng(3), HAZARDS, 200.0) for _ in range(2))
    assert first.equals(again)
