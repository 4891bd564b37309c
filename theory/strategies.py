"""Hypothesis strategies for timelines, hazards, rates and counts: property-test bounds of your own.

from hypothesis import given
from theory import ceiling, strategies, survival

@given(strategies.hazards(), strategies.timelines())
def test_no_decision_outlives_its_ceiling(hazard, timeline):
    assert survival(hazard, timeline) <= ceiling(hazard, timeline)
"""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from theory.factorisation import Factorisation
from theory.hazards import Constant, Hazard, Piecewise
from theory.timeline import Timeline

_LONGEST_GAP = 1e4
_HIGHEST_RATE = 10.0


class CountTable(NamedTuple):
    """Decisions by cell, the arguments of `Factorisation.from_counts`."""

    standing: int
    kept: int
    delivered: int
    switched_delivered: int
    missed: int
    switched_missed: int


def rates() -> SearchStrategy[float]:
    """Changes per unit of time: 0, and from 1e-6 to 10."""
    return st.one_of(st.just(0.0), st.floats(1e-6, _HIGHEST_RATE))


def probabilities() -> SearchStrategy[float]:
    """Shares in [0, 1], the ends included."""
    return st.floats(0.0, 1.0)


def gaps() -> SearchStrategy[float]:
    """Lengths of time > 0, from 1e-3 to 1e4."""
    return st.floats(1e-3, _LONGEST_GAP)


@st.composite
def timelines(draw: DrawFn) -> Timeline:
    """One decision's timeline; every gap that may be zero sometimes is."""
    maybe = st.one_of(st.just(0.0), gaps())
    written = draw(st.floats(-_LONGEST_GAP, _LONGEST_GAP))
    verified = written + draw(maybe)
    decided = verified + draw(maybe)
    deadline = decided + draw(gaps())
    action = deadline + draw(maybe)
    return Timeline(written, verified, decided, deadline, action, action + draw(maybe))


def constants() -> SearchStrategy[Constant]:
    """Constant hazards, zero included."""
    return st.builds(Constant, rates())


@st.composite
def piecewise(draw: DrawFn) -> Piecewise:
    """Hazards of up to four steps, at distinct times within the reach of `timelines`."""
    steps = draw(
        st.lists(
            st.integers(-int(_LONGEST_GAP), int(_LONGEST_GAP)), min_size=1, max_size=4, unique=True
        )
    )
    levels = draw(st.lists(rates(), min_size=len(steps) + 1, max_size=len(steps) + 1))
    return Piecewise(sorted(float(step) for step in steps), levels)


def hazards() -> SearchStrategy[Hazard]:
    """Any hazard of the theory."""
    return st.one_of(constants(), piecewise())


def factorisations() -> SearchStrategy[Factorisation]:
    """Five rates, each anywhere in [0, 1]."""
    share = probabilities()
    return st.builds(Factorisation, share, share, share, share, share)


@st.composite
def count_tables(draw: DrawFn, *, most: int = 50) -> CountTable:
    """Tables of counts with at least one decision; cells are often empty."""
    sizes = st.tuples(*[st.integers(0, most)] * 3).filter(any)
    standing, delivered, missed = draw(sizes)
    return CountTable(
        standing,
        draw(st.integers(0, standing)),
        delivered,
        draw(st.integers(0, delivered)),
        missed,
        draw(st.integers(0, missed)),
    )
