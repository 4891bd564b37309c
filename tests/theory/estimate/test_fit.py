import math
import random
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from tests.theory.estimate.logs import (
    interval_rows,
    intervals_log,
    names,
    poisson_log,
    renewal_log,
    spans,
    times_log,
)
from theory import BadInput
from theory.estimate import Rate, change_times, fit, gap_ceilings, outages, spells
from theory.estimate.alike import alike
from theory.estimate.rate import rate_rows

ALARM = 1e-6
"""The chance that a statistical test here fails although all is well."""
builders = st.sampled_from([outages, spells])


def same(ours, theirs):
    """Two estimates that agree but for rounding."""
    assert (ours.changes, ours.fact) == (theirs.changes, theirs.fact)
    for name in ("exposure", "rate", "low", "high"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name)), name
    for one, other in zip(ours.tests, theirs.tests, strict=True):
        assert one.reason == other.reason
        assert one.p_value == other.p_value or one.p_value == pytest.approx(other.p_value)


@given(builders, interval_rows, spans)
def test_rates_times_exposures_are_changes(build, rows, span):
    fitted = fit(build(intervals_log(rows), span_start=span[0], span_end=span[1]))
    for estimate in (fitted.pooled, *fitted.facts):
        if estimate.rate is None:
            assert estimate.exposure == 0.0
        else:
            assert estimate.rate * estimate.exposure == pytest.approx(estimate.changes)
            assert 0.0 <= estimate.low <= estimate.rate <= estimate.high < math.inf
            assert (estimate.low == 0.0) == (estimate.changes == 0)


@given(builders, interval_rows, spans, st.randoms(use_true_random=False))
def test_the_order_of_rows_is_irrelevant(build, rows, span, shuffler):
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    one, other = (
        fit(build(intervals_log(order), span_start=span[0], span_end=span[1]))
        for order in (rows, shuffled)
    )
    same(one.pooled, other.pooled)
    assert one.dropped == other.dropped
    for ours, theirs in zip(one.facts, other.facts, strict=True):
        same(ours, theirs)


@given(builders, interval_rows, spans)
def test_facts_fitted_alone_and_together_agree(build, rows, span):
    given_span = {"span_start": span[0], "span_end": span[1]}
    together = fit(build(intervals_log(rows), **given_span))
    alone = [
        fit(build(intervals_log([row for row in rows if row[0] == fact.fact]), **given_span))
        for fact in together.facts
    ]
    for ours, theirs in zip(together.facts, alone, strict=True):
        same(ours, theirs.facts[0])
    assert together.pooled.changes == sum(one.pooled.changes for one in alone)
    assert together.pooled.exposure == pytest.approx(sum(one.pooled.exposure for one in alone))


@pytest.mark.parametrize("unit", [1 / 3600, 24.0])
def test_rates_follow_the_unit_of_time_and_tests_do_not_care(unit):
    log = renewal_log(np.random.default_rng(1), 5, 40, 0.7)
    scaled = log.with_columns(pl.col("start", "end") * unit)
    one, other = fit(outages(log, span_end=90.0)), fit(outages(scaled, span_end=90.0 * unit))
    for ours, theirs in zip((one.pooled, *one.facts), (other.pooled, *other.facts), strict=True):
        assert theirs.rate * unit == pytest.approx(ours.rate)
        assert theirs.high * unit == pytest.approx(ours.high)
        for mine, yours in zip(ours.tests, theirs.tests, strict=True):
            assert mine.p_value == pytest.approx(yours.p_value, rel=1e-5)
    assert [age.changes for age in one.ages] == [age.changes for age in other.ages]


@pytest.mark.full
def test_the_limits_hold_the_rate_as_often_as_they_say(full):
    """Null: Garwood's limits miss the rate in at most 5 % of facts, 2.5 % on either side.

    20,000 facts, or a tenth, with 3 changes on average; each of three counts fails with chance
    1e-6. The control is the interval of a normal law, which misses far more often.
    """
    rng, facts = np.random.default_rng(2), 20_000 if full else 2_000
    history = change_times(poisson_log(rng, facts, 3), span_start=0, span_end=1)
    rows = list(rate_rows(history.changes, history.exposure))
    low, high = (np.array([getattr(row, side) for row in rows]) for side in ("low", "high"))
    assert (low > 3).sum() <= binom.isf(ALARM, len(rows), 0.025)
    assert (high < 3).sum() <= binom.isf(ALARM, len(rows), 0.025)
    plain = 1.96 * np.sqrt(history.changes)
    missed = (abs(history.changes - 3) > plain).sum()
    assert missed > binom.isf(ALARM, len(rows), 0.05)


def test_no_change_is_rate_zero_with_a_finite_limit():
    estimate = fit(outages(intervals_log([("a", 0, 2)]), span_start=1, span_end=12)).pooled
    assert (estimate.changes, estimate.rate, estimate.low) == (0, 0.0, 0.0)
    assert estimate.high == pytest.approx(-math.log(0.025) / 10)


# Whether facts are alike.


def homogeneity(rng, exposures, rates):
    changes = rng.poisson(np.asarray(exposures) * rates)
    return alike(changes, np.asarray(exposures, dtype=np.float64), rng)


@pytest.mark.full
@pytest.mark.parametrize(
    ("facts", "mean"), [(2, 3.0), (5, 0.5), (40, 0.3), (40, 20.0), (12_000, 0.4)]
)
def test_facts_with_one_rate_are_rejected_no_more_often_than_the_level_says(facts, mean, full):
    """Null: facts have one rate and exposures that differ twentyfold; few changes or many.

    400 logs, or a tenth; fails with chance 1e-6 at 5.5 % (the approximation is no bound).
    """
    rng, logs = np.random.default_rng(3), 400 if full else 40
    exposures = mean * np.geomspace(0.2, 4.0, facts)
    found = [homogeneity(rng, exposures, 1.0).p_value for _ in range(logs)]
    p_values = np.array([p_value for p_value in found if p_value is not None])
    assert p_values.size >= logs / 2
    assert (p_values <= 0.05).sum() <= binom.isf(ALARM, p_values.size, 0.055)


@pytest.mark.parametrize(("facts", "mean"), [(40, 3.0), (40, 20.0), (12_000, 0.4)])
def test_facts_with_two_rates_are_told_apart(facts, mean):
    """The control: half of the facts change six times as fast as the others."""
    rng = np.random.default_rng(4)
    rates = np.where(np.arange(facts) % 2, 0.3, 1.8)
    exposures = mean * np.geomspace(0.2, 4.0, facts)
    assert all(homogeneity(rng, exposures, rates).p_value < 1e-3 for _ in range(5))


@pytest.mark.parametrize(
    ("changes", "exposure", "reason"),
    [
        ([3], [1.0], "needs 2 facts with exposure"),
        ([3, 1], [1.0, 0.0], "needs 2 facts with exposure"),
        ([0, 0], [1.0, 2.0], "needs a change"),
        ([1, 2], [1.0, 2.0], "needs a generator where under 5 changes are expected of a fact"),
    ],
)
def test_likeness_that_cannot_be_tested_has_a_reason(changes, exposure, reason):
    assert alike(np.array(changes), np.array(exposure)).reason == reason


def test_draws_come_from_the_generator_that_was_passed():
    log = times_log([("a", 1), ("a", 3), ("a", 4), ("a", 9), ("b", 4)])
    history = change_times(log)
    one, same_seed, other = (fit(history, np.random.default_rng(s)).alike for s in (1, 1, 2))
    assert one == same_seed
    assert one.statistic == other.statistic
    assert one.p_value != other.p_value


# The hazard by age.


@given(builders, interval_rows, spans)
def test_age_bins_share_out_what_is_of_known_age(build, rows, span):
    history = build(intervals_log(rows), span_start=span[0], span_end=span[1])
    aged = history.stretches.filter(pl.col("age").is_not_null())
    ages = fit(history).ages
    assert sum(age.changes for age in ages) == aged["changed"].sum() or not ages
    assert sum(age.exposure for age in ages) == pytest.approx((aged["end"] - aged["start"]).sum())
    assert [age.start for age in ages[1:]] == [age.end for age in ages[:-1]]
    assert not ages or (ages[0].start, ages[-1].end) == (0.0, None)


def test_a_falling_hazard_is_seen_falling_by_age():
    log = renewal_log(np.random.default_rng(5), 100, 60, 0.5)
    ages = fit(outages(log, span_start=0, span_end=120)).ages
    assert len(ages) == 10
    assert all(before.rate > after.rate for before, after in pairwise(ages))
    constant = renewal_log(np.random.default_rng(5), 100, 60, 1.0)
    bins = fit(outages(constant, span_start=0, span_end=120)).ages
    missed = sum(not age.low <= 1.0 <= age.high for age in bins)
    assert missed <= binom.isf(ALARM, 10, 0.05)


# Ceilings, and how finely time is told.


@given(st.integers(0, 500), st.floats(1e-3, 1e6), st.lists(st.floats(1e-3, 1e4), min_size=1))
def test_ceilings_fall_with_the_gap_and_lie_within_their_limits(changes, exposure, gaps):
    (row,) = rate_rows(np.array([changes]), np.array([exposure]))
    for at in gap_ceilings(Rate(*row), sorted(gaps)):
        assert at.ceiling == pytest.approx(math.exp(-changes / exposure * at.gap))
        assert 0.0 <= at.low <= at.ceiling <= at.high <= 1.0


def test_ceilings_need_a_rate_and_gaps_that_are_some():
    assert gap_ceilings(Rate(1, 0.0, None, None, None), [24.0]) == ()
    with pytest.raises(BadInput, match=r"gap\(=0.0\) must be > 0"):
        gap_ceilings(Rate(1, 2.0, 0.5, 0.1, 2.0), [24.0, 0.0])


@pytest.mark.parametrize(
    ("unit", "step"), [(24.0, 24.0), (6.0, 1.0), (1 / 4, 1 / 60), (1 / 3600, None)]
)
def test_the_step_in_which_a_log_tells_time_is_seen(unit, step):
    # Far from the clock's zero, as dates are.
    log = times_log([("a", 480_000 + unit * place) for place in (0, 1, 5, 7)])
    assert fit(change_times(log)).resolution == step


def test_a_large_log_of_many_facts_is_fitted_as_a_small_one():
    rng = np.random.default_rng(6)
    each = rng.poisson(8, 3_000)
    log = pl.DataFrame({"fact": names(3_000, each), "time": rng.uniform(size=each.sum())})
    fitted = fit(change_times(log, span_start=0, span_end=1), rng)
    chosen = random.Random(7).sample(range(len(fitted.facts)), 5)
    for fact in (fitted.facts[place] for place in chosen):
        own = log.filter(pl.col("fact") == fact.fact)
        same(fact, fit(change_times(own, span_start=0, span_end=1)).facts[0])
