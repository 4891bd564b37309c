import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from theory import BadInput, Constant, Piecewise
from theory.hazards.conformance import ERROR, NonconformingHazard, check_hazard
from theory.strategies import gaps, hazards, piecewise, rates, timelines

HAZARDS = [
    Constant(0.0),
    Constant(0.3),
    Piecewise([1.0], [0.0, 0.5]),
    Piecewise([1.0, 2.0, 5.0], [0.4, 0.0, 2.0, 0.01]),
    Piecewise([-3.0, 0.5], [1.0, 0.2, 0.0]),
]


@pytest.mark.parametrize("hazard", HAZARDS, ids=str)
@pytest.mark.parametrize("start", [-4.0, 0.0, 3.0])
def test_every_hazard_passes_the_conformance_kit(hazard, start):
    """Each call fails a right hazard with chance `ERROR`; the seed is fixed."""
    assert ERROR <= 1e-4
    check_hazard(hazard, rng=np.random.default_rng(1), start=start)


@given(hazards(), timelines())
def test_survival_is_a_probability_that_multiplies_over_adjacent_intervals(hazard, timeline):
    start, middle, end = timeline.verified, timeline.decided, timeline.action
    whole = hazard.survival(start, end)
    assert 0 <= whole <= hazard.survival(start, middle) <= 1
    parts = hazard.survival(start, middle) * hazard.survival(middle, end)
    assert whole == pytest.approx(parts, rel=1e-6, abs=1e-12)


@given(rates(), gaps())
def test_a_constant_hazard_forgets_when_it_started(rate, gap):
    assert Constant(rate).survival(0.0, gap) == pytest.approx(math.exp(-rate * gap), rel=1e-12)
    assert Constant(rate).survival(5.0, 5.0 + gap, since=1.0) == pytest.approx(
        math.exp(-rate * gap), rel=1e-6
    )


@given(piecewise(), gaps())
def test_a_piecewise_survival_is_the_integral_of_its_rate(hazard, gap):
    start, end = -gap, gap

    def rate(time):
        return hazard.rates[int(np.searchsorted(hazard.times, time, side="right"))]

    steps = [time for time in hazard.times if start < time < end]
    edges = [start, *steps, end]
    integral = sum(quad(rate, left, right)[0] for left, right in pairwise(edges))
    assert hazard.survival(start, end) == pytest.approx(math.exp(-integral), rel=1e-6, abs=1e-300)


@given(rates(), rates())
def test_a_piecewise_hazard_of_equal_rates_is_the_constant_one(rate, other):
    steady = Piecewise([0.0, 7.0], [rate, rate, rate])
    ends = np.array([-1.0, 0.0, 3.5, 7.0, 100.0])
    assert steady.survival(-2.0, ends) == pytest.approx(Constant(rate).survival(-2.0, ends))
    if rate != other:
        stepped = Piecewise([0.0], [rate, other])
        assert stepped.survival(0.0, 1e-3) != Constant(rate).survival(0.0, 1e-3) or (
            math.isclose(rate, other, abs_tol=1e-9)
        )


def test_a_hazard_of_zero_never_changes():
    rng = np.random.default_rng(0)
    assert np.isinf(Constant(0.0).sample(rng, np.zeros(5))).all()
    assert np.isinf(Piecewise([1.0], [3.0, 0.0]).sample(rng, np.full(5, 2.0))).all()


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: Constant(-1.0), "rate"),
        (lambda: Constant(float("nan")), "rate"),
        (lambda: Constant(float("inf")), "rate"),
        (lambda: Constant("fast"), "rate"),
        (lambda: Piecewise([], [1.0]), "times"),
        (lambda: Piecewise([2.0, 1.0], [1.0, 1.0, 1.0]), "times"),
        (lambda: Piecewise([1.0, 1.0], [1.0, 1.0, 1.0]), "times"),
        (lambda: Piecewise([1.0], [1.0]), "rates"),
        (lambda: Piecewise([1.0], [1.0, -2.0]), "rates"),
        (lambda: Piecewise([float("nan")], [1.0, 1.0]), "times"),
        (lambda: Constant(1.0).survival(2.0, 1.0), "end"),
        (lambda: Piecewise([1.0], [1.0, 2.0]).survival(2.0, np.array([3.0, 1.0])), "end"),
    ],
)
def test_bad_hazards_and_intervals_are_refused_by_name(build, field):
    with pytest.raises(BadInput) as refused:
        build()
    assert refused.value.field == field


class _Broken(Constant):
    """A constant hazard that breaks one rule."""


class _SamplesTooEarly(_Broken):
    def sample(self, rng, start, *, since=None):
        return start + rng.standard_exponential(start.shape) / (1.1 * self.rate)


class _Rising(_Broken):
    def survival(self, start, end, *, since=None):
        return 1 - super().survival(start, end)


class _NeverWhole(_Broken):
    def survival(self, start, end, *, since=None):
        return 0.9 * super().survival(start, end)


class _Shapeless(_Broken):
    def survival(self, start, end, *, since=None):
        return 1.0


class _Negative(_Broken):
    def survival(self, start, end, *, since=None):
        return 1.0 - self.rate * (np.asarray(end) - start)


class _ScalarsDiffer(_Broken):
    def survival(self, start, end, *, since=None):
        return super().survival(start, end) if np.ndim(end) else float(start == end)


class _Backwards(_Broken):
    def sample(self, rng, start, *, since=None):
        return start - rng.standard_exponential(start.shape)


class _OneSample(_Broken):
    def sample(self, rng, start, *, since=None):
        return super().sample(rng, start)[:1]


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (_SamplesTooEarly(0.3), "where survival says"),
        (_Rising(0.3), "rises"),
        (_NeverWhole(0.3), "empty interval"),
        (_Shapeless(0.3), "shape"),
        (_Negative(0.3), r"\[0, 1\]"),
        (_ScalarsDiffer(0.3), "scalar"),
        (_Backwards(0.3), "before its start"),
        (_OneSample(0.3), "shape"),
        (Fraction(1, 3), "lacks survival"),
    ],
)
def test_the_conformance_kit_catches_a_hazard_that_breaks_a_rule(broken, why):
    with pytest.raises(NonconformingHazard, match=why):
        check_hazard(broken, rng=np.random.default_rng(2))


@settings(max_examples=10)
@given(st.floats(0.01, 2.0))
def test_the_conformance_kit_reads_the_age_of_a_hazard_with_a_memory(rate):
    class Ageing:
        """Rate grows linearly with the fact's age."""

        def survival(self, start, end, *, since=None):
            born = start if since is None else since
            return np.exp(-rate * ((np.asarray(end) - born) ** 2 - (start - born) ** 2))

        def sample(self, rng, start, *, since=None):
            born = start if since is None else since
            grown = rng.standard_exponential(start.shape) / rate + (start - born) ** 2
            return born + np.sqrt(grown)

    check_hazard(Ageing(), rng=np.random.default_rng(3), start=1.0, since=-1.0)
