import numpy as np
import pytest
from scipy import stats

from sim.bootstrap import ratio_limits
from theory.inference import binomial_limits


def one_ratio(part, whole, rng, **options):
    limits = ratio_limits(part[:, None], whole[:, None], rng, confidence=0.95, **options)
    return tuple(float(end.item()) for end in limits)


def drawn(rng, decisions):
    """Decisive pairs delivered of those there are: in a decision all arrive or none, half do."""
    whole = rng.integers(1, 4, size=decisions).astype(float)
    return whole * (rng.random(decisions) < 0.5), whole


def test_limits_are_those_of_an_independent_bootstrap():
    """scipy's percentile bootstrap of the same ratio; both wander by their own draws."""
    part, whole = drawn(np.random.default_rng(0), 300)
    low, high = one_ratio(part, whole, np.random.default_rng(1), resamples=20_000)
    witness = stats.bootstrap(
        (part, whole),
        lambda a, b, axis: a.sum(axis=axis) / b.sum(axis=axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(2),
    ).confidence_interval
    width = witness.high - witness.low
    assert (float(low), float(high)) == pytest.approx(tuple(witness), abs=0.03 * width)


def misses(limits, repeats=400, decisions=200):
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(repeats):
        low, high = limits(*drawn(rng, decisions), rng)
        missed += not low <= 0.5 <= high
    return missed


def test_a_true_ratio_is_missed_as_often_as_is_said():
    """Null: 5 % missed. 400 repeats; its exact 99.9 % limits must hold 0.05, or 0.07 for a
    percentile interval's known shortness at 200 decisions."""
    missed = misses(lambda part, whole, rng: one_ratio(part, whole, rng, resamples=500))
    low, high = binomial_limits(missed, 400, confidence=0.999)
    assert low <= 0.07
    assert high >= 0.05


def test_limits_that_take_pairs_for_trials_miss_too_often():
    """The control: pairs of one decision arrive together, which binomial limits do not know."""
    missed = misses(lambda part, whole, _: binomial_limits(part.sum(), whole.sum()))
    low, _ = binomial_limits(missed, 400, confidence=0.999)
    assert low > 0.07


def test_what_has_no_ratio_has_no_limits():
    assert np.isnan(one_ratio(np.zeros(3), np.zeros(3), np.random.default_rng(0))).all()
    rare = np.zeros(50)
    rare[0] = 1.0
    assert one_ratio(rare, rare, np.random.default_rng(0)) == (1.0, 1.0)


def test_several_ratios_are_drawn_together():
    """Equal columns have equal limits."""
    part, whole = drawn(np.random.default_rng(0), 100)
    pair = np.column_stack((part, part)), np.column_stack((whole, whole))
    low, high = ratio_limits(*pair, np.random.default_rng(1), confidence=0.95)
    assert low[0] == low[1] < high[0] == high[1]


@pytest.mark.parametrize("groups", [1, 999, 1_000_001])
def test_resamples_are_all_drawn_however_many_groups(groups):
    from sim.bootstrap import _sizes

    assert sum(_sizes(2_000, groups)) == 2_000
