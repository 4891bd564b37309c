import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from theory import BadInput
from theory.inference import (
    binomial_limits,
    binomial_p_value,
    holm,
    mcnemar_p_value,
    paired_gain_limits,
    paired_gain_p_value,
    poisson_limits,
)


@st.composite
def counts(draw):
    trials = draw(st.integers(1, 500))
    return draw(st.integers(0, trials)), trials


@given(counts(), st.sampled_from([0.9, 0.95, 0.99]))
def test_binomial_limits_are_clopper_and_pearsons(count, confidence):
    successes, trials = count
    ours = binomial_limits(successes, trials, confidence=confidence)
    theirs = stats.binomtest(successes, trials).proportion_ci(confidence, "exact")
    assert (float(ours.low), float(ours.high)) == pytest.approx((theirs.low, theirs.high))


@given(counts(), st.floats(0.0, 1.0), st.sampled_from(["two", "above", "below"]))
def test_a_value_lies_outside_its_limits_exactly_when_its_p_value_is_small(count, null, side):
    successes, trials = count
    limits = binomial_limits(successes, trials, confidence=0.95, side=side)
    p_value = float(binomial_p_value(successes, trials, null, side=side))
    if abs(p_value - 0.05) > 1e-9:
        assert (p_value < 0.05) == (not limits.low <= null <= limits.high)


@given(counts(), st.floats(0.0, 1.0))
def test_one_sided_p_values_are_the_tails(count, null):
    successes, trials = count
    for side, alternative in (("above", "greater"), ("below", "less")):
        theirs = stats.binomtest(successes, trials, null, alternative=alternative).pvalue
        assert float(binomial_p_value(successes, trials, null, side=side)) == pytest.approx(
            theirs, rel=1e-7, abs=1e-300
        )


def test_certain_nulls_are_refuted_by_one_trial():
    assert binomial_p_value([10, 9, 0, 1], 10, [1.0, 1.0, 0.0, 0.0]).tolist() == [1, 0, 1, 0]


@given(st.integers(0, 200), st.floats(0.1, 1e4))
def test_poisson_limits_are_garwoods(events, exposure):
    ours = poisson_limits(events, exposure)
    low = stats.chi2.ppf(0.025, 2 * events) / 2 if events else 0.0
    high = stats.chi2.ppf(0.975, 2 * events + 2) / 2
    assert (float(ours.low), float(ours.high)) == pytest.approx((low / exposure, high / exposure))
    assert poisson_limits(events, exposure, side="above").high == np.inf
    assert poisson_limits(events, exposure, side="below").low == 0.0


@pytest.mark.parametrize("p", [0.0, 0.02, 0.5, 0.97, 1.0])
def test_exact_limits_miss_the_truth_no_more_often_than_they_say(p):
    """All outcomes of 60 trials are enumerated: the miss rate is exact, not sampled."""
    outcomes = np.arange(61)
    low, high = binomial_limits(outcomes, 60, confidence=0.95)
    missed = stats.binom.pmf(outcomes, 60, p)[(p < low) | (p > high)].sum()
    assert missed <= 0.05
    # The control: limits from two standard errors miss far more often near the ends.
    if p in {0.02, 0.97}:
        share = outcomes / 60
        error = 2 * np.sqrt(share * (1 - share) / 60)
        assert stats.binom.pmf(outcomes, 60, p)[np.abs(share - p) > error].sum() > 0.1


@given(st.integers(0, 300), st.integers(0, 300), st.integers(600, 5_000), st.floats(-0.5, 0.5))
def test_a_paired_p_value_is_the_level_at_which_the_limits_meet_the_null(
    gained, lost, trials, null
):
    p_value = float(paired_gain_p_value(gained, lost, trials, null))
    assert 0 < p_value <= 1
    if 1e-12 < p_value < 0.9:
        wider = paired_gain_limits(gained, lost, trials, confidence=1 - p_value * 0.99)
        tighter = paired_gain_limits(gained, lost, trials, confidence=1 - p_value * 1.01)
        assert wider.low <= null <= wider.high
        assert not tighter.low <= null <= tighter.high


def test_paired_limits_cover_the_difference_of_a_known_pair():
    """2,000 pairs of runs at level 5 %: the limits are conservative, so more than 136 misses, the
    99.9 % quantile of Binomial(2,000, 0.05), would refute them. The control, limits that treat each
    discordant count's own 95 % interval as if it were the difference's, is not used anywhere.
    """
    rng = np.random.default_rng(4)
    gained, lost, _ = rng.multinomial(400, [0.2, 0.05, 0.75], size=2_000).T
    limits = paired_gain_limits(gained, lost, 400, confidence=0.95)
    misses = np.count_nonzero((limits.low > 0.15) | (limits.high < 0.15))
    assert misses <= stats.binom.ppf(0.999, 2_000, 0.05)
    p_values = paired_gain_p_value(gained, lost, 400, 0.15)
    assert np.count_nonzero(p_values < 0.05) == misses


def test_paired_tests_reject_a_wrong_difference():
    assert paired_gain_p_value(500, 100, 10_000, 0.055) < 1e-3
    assert paired_gain_p_value(500, 100, 10_000, 0.04) == 1.0


def test_nothing_gained_or_lost_refutes_nothing_near_zero():
    assert paired_gain_p_value(0, 0, 100, 0.0) == 1.0


@settings(max_examples=20)
@given(st.lists(st.one_of(st.floats(0.0, 1.0), st.floats(0.0, 0.01)), min_size=1, max_size=30))
def test_holm_rejects_what_statsmodels_rejects(p_values):
    theirs = multipletests(p_values, alpha=0.05, method="holm")[0]
    assert holm(p_values, 0.05).tolist() == theirs.tolist()


def test_holm_stops_at_the_first_p_value_that_is_too_large():
    assert holm([[0.04, 0.01], [0.5, 0.02]], 0.05).tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: binomial_limits(1, 0),
        lambda: binomial_limits(3, 2),
        lambda: binomial_limits(-1, 2),
        lambda: binomial_limits(1, 2, confidence=1.0),
        lambda: binomial_p_value(1, 2, 1.5),
        lambda: binomial_p_value(1, 2, float("nan")),
        lambda: poisson_limits(-1, 1.0),
        lambda: poisson_limits(1, 0.0),
    ],
)
def test_impossible_counts_are_refused(ask):
    with pytest.raises(BadInput):
        ask()


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test_of_discordant_pairs(gained, lost):
    p_value = float(mcnemar_p_value(gained, lost))
    if gained + lost == 0:
        assert p_value == 1.0
    else:
        witness = stats.binomtest(gained, gained + lost).pvalue
        assert p_value == pytest.approx(witness, rel=1e-9)
    assert p_value == float(mcnemar_p_value(lost, gained))


def test_mcnemar_refuses_counts_below_zero():
    with pytest.raises(BadInput, match="must be >= 0"):
        mcnemar_p_value(-1, 3)
    with pytest.raises(BadInput, match="must be >= 0"):
        mcnemar_p_value([2, 3], [1, -2])
