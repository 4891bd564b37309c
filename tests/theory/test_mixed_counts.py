from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from theory import BadInput, strategies
from theory.inference import binomial_limits, binomial_p_value
from theory.mixed_counts import mixed_limits, mixed_p_value, mixed_pmf

chances = st.lists(strategies.probabilities(), min_size=1, max_size=8)


@given(chances)
def test_probabilities_are_those_of_every_way_to_succeed(chances):
    expected = np.zeros(len(chances) + 1)
    for way in product([0, 1], repeat=len(chances)):
        expected[sum(way)] += prod(p if hit else 1 - p for p, hit in zip(chances, way, strict=True))
    assert mixed_pmf(chances) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 300), st.floats(0.01, 0.99), st.data())
def test_equal_chances_are_binomial(trials, chance, data):
    successes = data.draw(st.integers(0, trials))
    pmf = mixed_pmf([chance] * trials)
    assert pmf == pytest.approx(stats.binom.pmf(range(trials + 1), trials, chance), abs=1e-11)
    expected = float(binomial_p_value(successes, trials, chance))
    assert mixed_p_value(successes, [chance] * trials) == pytest.approx(expected, abs=1e-10)


@given(st.integers(1, 60), st.floats(0.05, 0.95), st.data())
def test_limits_of_equal_chances_are_clopper_pearson(trials, chance, data):
    successes = data.draw(st.integers(0, trials))
    found = mixed_limits(successes, [chance] * trials, confidence=0.99)
    expected = binomial_limits(successes, trials, confidence=0.99)
    assert [float(end) for end in found] == pytest.approx(
        [float(end) for end in expected], abs=1e-4
    )


@given(st.lists(st.floats(0.02, 0.98), min_size=2, max_size=30), st.data())
def test_a_mean_lies_outside_its_limits_where_its_p_value_is_small(chances, data):
    successes = data.draw(st.integers(0, len(chances)))
    p_value = mixed_p_value(successes, chances)
    low, high = mixed_limits(successes, chances, confidence=0.95)
    inside = low - 1e-4 <= np.mean(chances) <= high + 1e-4
    if p_value > 0.051:
        assert inside
    if p_value < 0.049:
        assert not low + 1e-4 < np.mean(chances) < high - 1e-4


def test_mixed_chances_vary_less_than_their_mean_s_binomial():
    mixed = [0.1] * 50 + [0.9] * 50
    assert mixed_p_value(62, mixed) < binomial_p_value(62, 100, 0.5)


def test_certain_trials_are_certain():
    assert mixed_p_value(1, [1.0, 0.0]) == 1
    assert mixed_p_value(2, [1.0, 0.0]) == 0
    assert [float(end) for end in mixed_limits(1, [1.0, 0.0])] == [0.5, 0.5]


@pytest.mark.parametrize(("successes", "chances"), [(-1, [0.5]), (2, [0.5]), (0, [])])
def test_counts_that_cannot_be_are_refused(successes, chances):
    with pytest.raises(BadInput, match="successes"):
        mixed_p_value(successes, chances)


def test_chances_must_be_probabilities():
    with pytest.raises(BadInput, match="chances"):
        mixed_pmf([0.5, 1.5])
