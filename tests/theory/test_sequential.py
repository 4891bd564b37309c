"""Limits under peeking: how often they miss, how long they take, and what plain limits do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import betaln
from scipy.stats import beta

from theory import BadInput
from theory.inference import binomial_limits, binomial_p_value
from theory.sequential import log_evidence, sequential_limits

ALPHA = 0.05
REPEATS = 2_000
LOOKS = np.arange(100, 20_001, 100)
PRECISION = 0.0105
"""Reached within about 21,000 trials at p = 0.5, sooner elsewhere."""

counts = st.integers(1, 10**7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
precisions = st.floats(1e-4, 0.4)
nulls = st.floats(1e-6, 1 - 1e-6)


def trials(p, repeats, seed):
    """Successes at each look, shape (repeats, looks)."""
    steps = np.diff(LOOKS, prepend=0)
    draws = np.random.default_rng(seed).binomial(steps, p, (repeats, len(LOOKS)))
    return draws.cumsum(axis=1)


@pytest.mark.full
@pytest.mark.parametrize("p", [0.5, 0.9, 0.99])
def test_the_truth_is_ever_outside_at_most_as_often_as_allowed(p, full):
    """Null: the chance to be outside at any of 200 looks is <= 5 %. 2,000 repeats (200 by
    default), exact one-sided test at 1e-6. Plain 95 % limits under the same looks are rejected.
    """
    repeats = REPEATS if full else REPEATS // 10
    successes = trials(p, repeats, seed=5)
    missed = (log_evidence(successes, LOOKS, p, precision=PRECISION) >= -np.log(ALPHA)).any(axis=1)
    assert binomial_p_value(missed.sum(), repeats, ALPHA, side="above") > 1e-6
    plain = binomial_limits(successes, LOOKS, confidence=1 - ALPHA)
    peeked = ((p < plain.low) | (p > plain.high)).any(axis=1)
    assert binomial_p_value(peeked.sum(), repeats, ALPHA, side="above") < 1e-6
    assert 0.2 < peeked.mean() < 0.5  # about 30 %


@given(counts, precisions, nulls)
def test_limits_are_where_the_evidence_reaches_one_over_alpha(count, precision, null):
    k, n = count
    limits = sequential_limits(k, n, precision=precision)
    assert 0 <= limits.low <= k / n <= limits.high <= 1
    inside = log_evidence(k, n, null, precision=precision) < -np.log(ALPHA)
    if inside:
        assert limits.low <= null <= limits.high
    else:
        assert null <= limits.low + 1e-9 or null >= limits.high - 1e-9


@given(counts, precisions)
def test_successes_and_failures_mirror_each_other(count, precision):
    k, n = count
    ours = sequential_limits(k, n, precision=precision)
    theirs = sequential_limits(n - k, n, precision=precision)
    assert ours.low == pytest.approx(1 - theirs.high, abs=1e-9)
    assert ours.high == pytest.approx(1 - theirs.low, abs=1e-9)


@given(counts, precisions, st.floats(0.001, 0.5))
def test_a_smaller_error_gives_wider_limits(count, precision, alpha):
    k, n = count
    limits, wider = (
        sequential_limits(k, n, precision=precision, alpha=error) for error in (alpha, alpha / 2)
    )
    assert wider.low <= limits.low + 1e-12
    assert wider.high >= limits.high - 1e-12


@pytest.mark.parametrize(("k", "n", "null"), [(3, 10, 0.5), (0, 20, 0.1), (40, 40, 0.8)])
def test_the_evidence_is_the_mean_likelihood_ratio(k, n, null):
    """Against the integral that it is."""
    c = 1.5 * null * (1 - null) / 0.1**2
    mixing = beta(c * null, c * (1 - null))

    def weighted(q):
        return mixing.pdf(q) * (q / null) ** k * ((1 - q) / (1 - null)) ** (n - k)

    mean, _ = quad(weighted, 0, 1, epsrel=1e-10)
    assert log_evidence(k, n, null, precision=0.1) == pytest.approx(np.log(mean), rel=1e-7)


@given(nulls, precisions, st.integers(0, 30), st.integers(0, 30))
def test_the_evidence_is_a_martingale_under_the_null(p, precision, k, more):
    """Its mean over the next trial is what it is now."""
    n = k + more
    up, down = (log_evidence(after, n + 1, p, precision=precision) for after in (k + 1, k))
    now = 0.0 if n == 0 else log_evidence(k, n, p, precision=precision)
    assert np.logaddexp(np.log(p) + up, np.log1p(-p) + down) == pytest.approx(now, abs=1e-6)


def uniform_evidence(k, n, p):
    """The same with a uniform mixture."""
    return betaln(k + 1, n - k + 1) - k * np.log(p) - (n - k) * np.log1p(-p)


def needed(p, half_width_of):
    """Trials until limits around the share p are 0.002 wide on each side."""
    few, many = 1e3, 1e8
    while many / few > 1.001:
        n = np.sqrt(few * many)
        few, many = (n, many) if half_width_of(round(p * n), round(n)) > 0.002 else (few, n)
    return many


def uniform_half_width(k, n):
    grid = k / n + np.linspace(-0.02, 0.02, 40_001)
    grid = grid[(grid > 0) & (grid < 1)]
    inside = grid[uniform_evidence(k, n, grid) < -np.log(ALPHA)]
    return (inside[-1] - inside[0]) / 2


def half_width(k, n):
    limits = sequential_limits(k, n, precision=0.002)
    return float(limits.high - limits.low) / 2


@pytest.mark.parametrize(("p", "uniform"), [(0.5, 1.2e6), (0.9, 440e3), (0.99, 48e3)])
def test_half_the_trials_of_a_uniform_mixture_are_enough(p, uniform):
    assert needed(p, uniform_half_width) == pytest.approx(uniform, rel=0.03)
    assert needed(p, half_width) < uniform / 2


def test_limits_broadcast():
    limits = sequential_limits([0, 5, 10], 10, precision=0.1)
    assert limits.low.shape == (3,)
    assert limits.low[0] == 0
    assert limits.high[2] == 1


@pytest.mark.parametrize(
    ("k", "n", "precision", "alpha", "field"),
    [
        (1, 0, 0.1, 0.05, "trials"),
        (2, 1, 0.1, 0.05, "successes"),
        (1, 2, 0.0, 0.05, "precision"),
        (1, 2, 1.0, 0.05, "precision"),
        (1, 2, 0.1, 0.0, "alpha"),
        (1, 2, 0.1, 1.0, "alpha"),
    ],
)
def test_what_has_no_limits_is_refused(k, n, precision, alpha, field):
    with pytest.raises(BadInput) as refused:
        sequential_limits(k, n, precision=precision, alpha=alpha)
    assert refused.value.field == field
