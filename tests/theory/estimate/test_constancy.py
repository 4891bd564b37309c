import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lifelines import ExponentialFitter, WeibullFitter
from scipy.stats import binom, chi2
from statsmodels.stats._lilliefors import get_lilliefors_table
from statsmodels.stats.diagnostic import lilliefors

from tests.theory.estimate.logs import (
    interval_rows,
    intervals_log,
    names,
    poisson_log,
    renewal_log,
    spans,
)
from theory.estimate import Constancy, History, change_times, outages, spells
from theory.estimate.clock import Clock, exposure_clock
from theory.estimate.constancy import constancy
from theory.estimate.constancy.lilliefors import lilliefors as our_lilliefors
from theory.estimate.constancy.lilliefors import table_p_values
from theory.estimate.constancy.weibull import weibull

NAMES = Constancy._fields
ALARM = 1e-6
"""The chance that a statistical test here fails although all is well, for each of its counts."""


def p_values(history, name):
    """Of one test, over the facts that have enough changes."""
    found = [getattr(tests, name).p_value for tests in constancy(history)[1]]
    return np.array([p_value for p_value in found if p_value is not None])


def most_rejections(count, level):
    """The rejections that a test at that level exceeds with chance ALARM."""
    return binom.isf(ALARM, count, level)


def constant_hazards(rng, facts):
    """Logs of facts with a constant hazard, one of each kind, with what cuts them short."""
    entered = rng.uniform(size=40 * facts)
    lives = pl.DataFrame(
        {
            "fact": names(facts, np.full(facts, 40)),
            "start": entered,
            "end": entered + rng.standard_exponential(40 * facts),
        }
    )
    return {
        "12 change times": change_times(poisson_log(rng, facts, 12), span_start=0, span_end=1),
        "60 change times": change_times(poisson_log(rng, facts, 60), span_start=0, span_end=1),
        "20 outages": outages(renewal_log(rng, facts, 20, 1.0), span_start=0, span_end=40),
        "40 spells": spells(lives, span_start=0.5, span_end=1.5),
    }


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_a_constant_hazard_is_rejected_no_more_often_than_the_level_says(name, full):
    """Null: each fact's hazard is constant, whatever is down, cut or enters late.

    6,000 facts a log, or a tenth; each of 4 logs x 2 levels fails with chance 1e-6 at the level
    itself (over 60,000 facts a log, the 5 % tests rejected between 2.1 and 5.1 %).
    """
    for log, history in constant_hazards(np.random.default_rng(1), 6_000 if full else 600).items():
        p = p_values(history, name)
        assert p.size > len(history.facts) / 2, log
        for level in (0.05, 0.01):
            assert (p <= level).sum() <= most_rejections(p.size, level), (log, level)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_a_pooled_constant_hazard_is_rejected_no_more_often_than_the_level_says(name, full):
    """Null: 100 facts with 3 changes each share a constant hazard.

    500 logs, or a tenth; fails with chance 1e-6.
    """
    rng, logs = np.random.default_rng(4), 500 if full else 50
    found = [
        getattr(constancy(change_times(log, span_start=0, span_end=1))[0], name).p_value
        for log in (poisson_log(rng, 100, 3) for _ in range(logs))
    ]
    assert (np.array(found) <= 0.05).sum() <= most_rejections(logs, 0.05)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_the_tests_are_not_so_shy_that_they_never_reject(name, full):
    """Null: at 20 % a test rejects at least 15 % of constant hazards with 60 changes.

    6,000 facts, or a tenth; fails with chance 1e-6.
    """
    rng, facts = np.random.default_rng(2), 6_000 if full else 600
    p = p_values(change_times(poisson_log(rng, facts, 60), span_start=0, span_end=1), name)
    assert (p <= 0.2).sum() >= binom.ppf(ALARM, p.size, 0.15)


def not_constant(rng, hazard):
    """200 facts with about 60 changes each."""
    if hazard.startswith("shape"):
        log = renewal_log(rng, 200, 60, float(hazard.split()[1]))
        return outages(log, span_start=0, span_end=120)
    if hazard == "rising":
        return change_times(poisson_log(rng, 200, 60, trend=1.0), span_start=0, span_end=1)
    log = poisson_log(rng, 200, 12)
    bursts = pl.concat([log.with_columns(pl.col("time") + 1e-4 * i) for i in range(5)])
    return change_times(bursts, span_start=0, span_end=1.1)


@pytest.mark.parametrize(
    ("hazard", "seen_by"),
    [
        ("shape 0.5", {"weibull": 0.97, "lilliefors": 0.9, "dispersion": 0.7}),
        ("shape 2", {"weibull": 0.97, "lilliefors": 0.9, "dispersion": 0.5}),
        ("rising", {"laplace": 0.97}),
        ("bursts", {"dispersion": 0.97, "lilliefors": 0.97}),
    ],
)
def test_each_departure_is_seen_by_the_tests_meant_for_it(hazard, seen_by):
    """The control of the levels: hazards that are not constant must be rejected, at 5 %, in at
    least the share of facts given, and so beyond what the tests of the levels let pass."""
    history = not_constant(np.random.default_rng(3), hazard)
    for name, share in seen_by.items():
        p = p_values(history, name)
        assert (p <= 0.05).mean() >= share, name
        assert (p <= 0.05).sum() > most_rejections(p.size, 0.05), name


@pytest.mark.parametrize(
    ("hazard", "name", "side"),
    [
        ("shape 0.5", "weibull", -1),
        ("shape 2", "weibull", 1),
        ("shape 2", "dispersion", -1),
        ("bursts", "dispersion", 1),
        ("rising", "laplace", 1),
    ],
)
def test_statistics_lie_on_the_side_that_they_are_read_for(hazard, name, side):
    history = not_constant(np.random.default_rng(5), hazard)
    null = 0.0 if name == "laplace" else 1.0
    statistics = [getattr(tests, name).statistic for tests in constancy(history)[1]]
    assert np.median(np.sign(np.array(statistics) - null)) == side


def test_tests_run_on_unchanged_time_and_not_on_the_calendar():
    """Up-times of exactly one hour, after outages that grow ever longer: no trend."""
    rows, now = [], 0.0
    for place in range(1, 61):
        now += 1.0
        rows.append(("a", now, now + place))
        now += place
    tests = constancy(outages(intervals_log(rows), span_start=0, span_end=now + 1))[0]
    assert abs(tests.laplace.statistic) < 1e-9
    by_calendar = change_times(intervals_log(rows).select("fact", time="start"), span_start=0)
    assert constancy(by_calendar)[0].laplace.p_value < 1e-3


@given(st.lists(st.floats(1e-3, 1e3), min_size=6, max_size=40))
def test_lilliefors_is_that_of_statsmodels_on_all_gaps(gaps):
    at = np.cumsum(gaps)
    clock = Clock(np.zeros(at.size - 1, dtype=np.int64), at[:-1], at[-1:])
    ours = our_lilliefors(clock)
    distance, p_value = lilliefors(np.array(gaps), dist="exp")
    assert ours.statistic[0] == pytest.approx(distance)
    assert ours.p_value[0] == pytest.approx(p_value, rel=1e-6)


@pytest.mark.parametrize("size", [1_600, 20_000, 1_000_000])
def test_lilliefors_has_its_limiting_law_beyond_the_largest_table(size):
    """D of exponentials exceeds 1.094 / (sqrt n + 0.26 + 0.5 / sqrt n) + 0.2 / n with chance 5 %
    (Stephens 1974); the control is the polynomial that statsmodels has for large samples."""
    root = np.sqrt(size)
    distance = np.array([1.094 / (root + 0.26 + 0.5 / root) + 0.2 / size])
    assert table_p_values(distance, np.array([size]))[0] == pytest.approx(0.05, abs=2e-3)
    theirs = float(get_lilliefors_table(dist="exp").prob(distance, size)[0])
    assert (theirs == pytest.approx(0.05, abs=2e-3)) == (size == 1_600)


# lifelines' parametric fits are an independent witness of ours, entry ages and cut lives included.


@pytest.mark.parametrize("shape", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("late", [0.0, 0.5])
def test_weibull_fits_are_those_of_lifelines(shape, late):
    rng = np.random.default_rng(7)
    for _ in range(5):
        start, life = rng.uniform(size=60), rng.weibull(shape, 60)
        rows = [("a", s, s + t) for s, t in zip(start, life, strict=True)]
        history = spells(intervals_log(rows), span_start=late, span_end=1.5)
        ours = weibull(history)
        age, length = history.stretches["age"].to_numpy(), history.length
        witness = WeibullFitter().fit(age + length, history.changed, entry=age)
        assert ours.statistic[0] == pytest.approx(witness.rho_, rel=1e-4)
        # Under an exponential, entry ages only shorten the lives.
        null = ExponentialFitter().fit(length, history.changed)
        ratio = 2 * (witness.log_likelihood_ - null.log_likelihood_)
        corrected = ratio / (1 + 2 / history.changed.sum())
        assert ours.p_value[0] == pytest.approx(chi2.sf(corrected, 1), rel=1e-3)


def lives_log(ages):
    return spells(intervals_log([("a", 0, age) for age in ages]), span_end=100)


def test_shapes_without_a_maximum_stop_at_the_end_of_the_range():
    same = weibull(lives_log([5] * 20))
    assert same.statistic[0] == pytest.approx(100.0)
    assert same.p_value[0] < 1e-10
    # Entering late at an age and changing almost at once, over ages of all sizes.
    rows = [("a", 0, 10.0**i * 1.0001) for i in range(-5, 6)]
    history = spells(intervals_log(rows))
    late = pl.Series([10.0**i for i in range(-5, 6)])
    stretches = history.stretches.with_columns(start=late, age=late)
    falling = weibull(History(history.facts, stretches, history.span, history.dropped))
    assert falling.statistic[0] == pytest.approx(0.01)


@given(interval_rows, spans)
def test_too_few_changes_give_a_reason_in_place_of_a_p_value(rows, span):
    history = outages(intervals_log(rows), span_start=span[0], span_end=span[1])
    together, by_fact = constancy(history)
    for tests in (together, *by_fact):
        for test in tests:
            assert (test.p_value is None) == (test.statistic is None) == (test.reason is not None)
            assert test.p_value is None or 0.0 <= test.p_value <= 1.0
    assert together.weibull.reason.startswith("needs 10 changes at a known age, has ")


@pytest.mark.parametrize("changes", [10, 15, 20, 50])
def test_perfectly_even_changes_are_far_from_chance(changes):
    log = intervals_log([("a", place + 0.5, None) for place in range(changes)])
    history = change_times(log.select("fact", time="start"), span_start=0, span_end=changes)
    tests = constancy(history)[0]
    assert tests.laplace.p_value == pytest.approx(1.0)
    assert tests.dispersion.statistic == 0.0
    assert 0.0 < tests.dispersion.p_value < 0.7
    assert tests.lilliefors.p_value == 0.001
    if changes == 50:
        assert tests.dispersion.p_value < 1e-3
        assert tests.weibull.p_value < 1e-10


def test_one_fact_pooled_is_itself():
    log = poisson_log(np.random.default_rng(8), 1, 40)
    together, by_fact = constancy(change_times(log, span_start=0, span_end=1))
    assert [together] == by_fact
    clock = exposure_clock(change_times(log, span_start=0, span_end=1))
    assert clock.end_to_end().at.tolist() == clock.at.tolist()
