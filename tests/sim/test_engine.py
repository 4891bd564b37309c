"""The vectorised engine: against theory's risk split, against itself, and against the world."""

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sim.engine import count_first_changes, play
from sim.engines import load_engine
from sim.first_changes import FirstChanges, cuts, tally
from theory import BadInput, Constant, Piecewise, Timeline, risk_split, strategies
from theory.inference import binomial_p_value, holm

TIMELINES = [
    Timeline.from_gaps(24.0),
    Timeline.from_gaps(24.0, freshness_gap=12.0),
    Timeline.from_gaps(48.0, freshness_gap=6.0, window=12.0),
    Timeline.from_gaps(48.0, freshness_gap=6.0, window=12.0, written_before=100.0),
]
FACTS = [
    [Constant(0.01)],
    [Constant(0.0), Constant(0.02)],
    [Constant(0.03), Constant(0.002), Constant(0.01)],
    [Constant(0.01)] * 5,
]
STEPPED = [
    [Piecewise([0.0, 20.0], [0.001, 0.02, 0.05])],
    [Piecewise([5.0], [0.04, 0.0]), Constant(0.01)],
    [Piecewise([5.0], [0.04, 0.0]), Constant(0.0), Piecewise([-3.0], [0.0, 0.03])],
]
DELAYS = [0.0, 4.0]


@given(
    st.lists(st.one_of(strategies.constants(), strategies.piecewise()), min_size=1, max_size=3),
    strategies.timelines(),
    st.integers(1, 200),
    st.integers(0, 2**32),
)
def test_a_first_change_lies_between_verification_and_action_or_never_comes(
    hazards, timeline, decisions, seed
):
    first = play(np.random.default_rng(seed), hazards, timeline, decisions)
    assert first.shape == (decisions,)
    came = first[np.isfinite(first)]
    assert ((timeline.verified <= came) & (came <= timeline.action)).all()
    assert np.isposinf(first[~np.isfinite(first)]).all()


@given(strategies.constants(), strategies.timelines(), strategies.rates(), st.integers(0, 2**32))
def test_one_more_fact_never_puts_a_first_change_off(hazard, timeline, rate, seed):
    """The first fact's draws come first, so that both runs share them."""
    alone = play(np.random.default_rng(seed), [hazard], timeline, 50)
    joined = play(np.random.default_rng(seed), [hazard, Constant(rate)], timeline, 50)
    assert (joined <= alone).all()


@given(
    st.lists(st.one_of(strategies.constants(), strategies.piecewise()), min_size=1, max_size=3),
    strategies.timelines(),
    st.floats(0, 50),
    st.integers(1, 100),
    st.integers(1, 40),
    st.integers(0, 2**32),
)
def test_counts_add_up_to_the_decisions(hazards, timeline, delay, decisions, block, seed):
    counts = count_first_changes(
        np.random.default_rng(seed), hazards, timeline, decisions, delay=delay, block=block
    )
    assert sum(counts) == decisions
    assert min(counts) >= 0
    if timeline.decided - delay <= timeline.verified:
        assert counts.stale == 0
    if timeline.deadline == timeline.action and delay == 0:
        assert counts.late == 0


@given(st.floats(1e-6, 10), strategies.timelines(), st.floats(0, 50), st.integers(0, 2**32))
def test_counts_of_one_fact_are_those_of_the_very_draws_that_play_takes(
    rate, timeline, delay, seed
):
    """Limits round otherwise (rate x gap, not wait / rate), but no draw of these falls between."""
    hazards = [Constant(rate)]
    first = play(np.random.default_rng(seed), hazards, timeline, 300)
    counted = count_first_changes(np.random.default_rng(seed), hazards, timeline, 300, delay=delay)
    assert counted == tally(first, timeline, delay=delay)


@given(st.integers(1, 300), st.integers(1, 301), st.integers(0, 2**32))
def test_counts_of_one_fact_do_not_depend_on_the_block(decisions, block, seed):
    hazards, timeline = [Constant(0.02)], TIMELINES[2]
    whole, in_blocks = (
        count_first_changes(np.random.default_rng(seed), hazards, timeline, decisions, block=size)
        for size in (decisions, block)
    )
    assert whole == in_blocks


@given(strategies.timelines(), st.floats(0, 1e4))
def test_a_delay_moves_the_cuts_back_but_never_before_verification(timeline, delay):
    at = cuts(timeline, delay)
    assert timeline.verified <= at.known <= at.reachable <= at.action == timeline.action
    assert at.known in (timeline.verified, timeline.decided - delay)
    assert at.reachable in (timeline.verified, timeline.deadline - delay)


def test_a_change_at_a_cut_belongs_before_it():
    timeline = Timeline(0.0, 0.0, 1.0, 2.0, 3.0, 3.0)
    at = np.array([1.0, 2.0, 3.0, np.inf])
    assert tally(at, timeline) == FirstChanges(stale=1, recoverable=1, late=1, safe=1)
    just_after = np.nextafter(at, np.inf)
    assert tally(just_after, timeline) == FirstChanges(stale=0, recoverable=1, late=1, safe=2)
    assert tally(at, timeline, delay=1.0) == FirstChanges(stale=0, recoverable=1, late=2, safe=1)


def split_p_values(count, *, predicted=risk_split):
    """Exact p-values of every share over facts, timelines and delays, counted by `count`."""
    p_values = []
    for index, (hazards, timeline, delay) in enumerate(
        itertools.product(FACTS + STEPPED, TIMELINES, DELAYS)
    ):
        rng = np.random.default_rng([7, index])
        counts = count(rng, hazards, timeline, delay)
        shares = predicted(hazards, timeline, delay=delay)
        p_values += [
            binomial_p_value(found, sum(counts), np.clip(share, 0, 1))
            for found, share in zip(counts, shares, strict=True)
        ]
    return np.array(p_values)


@pytest.mark.parametrize("block", [1_000, 16_384, 20_000])
def test_counts_agree_with_the_risk_split(block):
    """Null: each share is the risk split's, at 20,000 decisions in each of 56 cells. Exact
    two-sided tests, Holm at 1e-6 over all shares.
    """

    def count(rng, hazards, timeline, delay):
        return count_first_changes(rng, hazards, timeline, 20_000, delay=delay, block=block)

    assert not holm(split_p_values(count), 1e-6).any()


def test_tallies_of_play_agree_with_the_risk_split():
    """The same null and test for `play`."""

    def count(rng, hazards, timeline, delay):
        return tally(play(rng, hazards, timeline, 20_000), timeline, delay=delay)

    assert not holm(split_p_values(count), 1e-6).any()


def test_counts_refuse_a_risk_split_of_longer_gaps_and_of_no_delay():
    """The controls: predictions for gaps 5 % longer, and ones that forget the delay."""

    def count(rng, hazards, timeline, delay):
        return count_first_changes(rng, hazards, timeline, 20_000, delay=delay)

    def stretched(hazards, timeline, *, delay):
        longer = Timeline(*(1.05 * getattr(timeline, name) for name in timeline.__match_args__))
        return risk_split(hazards, longer, delay=delay)

    def at_once(hazards, timeline, *, delay):
        return risk_split(hazards, timeline)

    for wrong in (stretched, at_once):
        assert holm(split_p_values(count, predicted=wrong), 1e-6).any()


def two_sample_p_values(one, other, decisions):
    """Fisher's exact test of the shares without a change and a KS test of the times, by cell."""
    p_values = []
    for index, (hazards, timeline) in enumerate(itertools.product(FACTS, TIMELINES[:3])):
        firsts = [
            engine(np.random.default_rng([seed, index]), hazards, timeline, decisions)
            for seed, engine in ((1, one), (2, other))
        ]
        changed = [np.isfinite(first) for first in firsts]
        table = [[came.sum(), (~came).sum()] for came in changed]
        times = [first[came] for first, came in zip(firsts, changed, strict=True)]
        p_values += [stats.fisher_exact(table).pvalue, stats.ks_2samp(*times).pvalue]
    return np.array(p_values)


@pytest.mark.full
def test_world_and_engine_agree(full):
    """Null: both draw first changes from one law, in 12 cells of facts x timelines. Fisher on the
    shares and a two-sample KS on the times, Holm at 1e-6 over the 24. The control, an engine whose
    facts are a fifth faster, is rejected.
    """
    decisions = 20_000 if full else 2_000
    world, engine = load_engine("simpy"), load_engine("numpy")

    def faster(rng, hazards, timeline, decisions):
        return engine(rng, [Constant(1.2 * fact.rate) for fact in hazards], timeline, decisions)

    assert not holm(two_sample_p_values(world, engine, decisions), 1e-6).any()
    assert holm(two_sample_p_values(world, faster, decisions), 1e-6).any()


@pytest.mark.full
def test_the_world_agrees_with_the_risk_split(full):
    """Null: each share of the world's first changes is the risk split's, Holm at 1e-6 over four
    cells; predictions for gaps a quarter longer are rejected.
    """
    decisions = 50_000 if full else 5_000
    hazards = FACTS[2]

    def p_values(stretch):
        found = []
        for index, timeline in enumerate(TIMELINES):
            rng = np.random.default_rng([3, index])
            counts = tally(load_engine("simpy")(rng, hazards, timeline, decisions), timeline)
            gaps = {"freshness_gap": timeline.freshness_gap, "window": timeline.deadline}
            longer = Timeline.from_gaps(
                stretch * timeline.action, **{name: stretch * gap for name, gap in gaps.items()}
            )
            found += [
                binomial_p_value(count, decisions, np.clip(share, 0, 1))
                for count, share in zip(counts, risk_split(hazards, longer), strict=True)
            ]
        return found

    assert not holm(p_values(1.0), 1e-6).any()
    assert holm(p_values(1.25), 1e-6).any()


@pytest.mark.parametrize("name", ["simpy", "numpy"])
def test_an_engine_gives_the_same_bytes_for_a_seed_and_others_for_another(name):
    engine = load_engine(name)
    first, again, other = (
        engine(np.random.default_rng(seed), FACTS[2], TIMELINES[2], 500) for seed in (4, 4, 5)
    )
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()
    assert first.dtype == np.float64


@pytest.mark.parametrize("hazards", [FACTS[2], STEPPED[1]])
def test_counting_takes_no_more_memory_for_more_decisions(hazards):
    def peak(decisions):
        tracemalloc.start()
        count_first_changes(np.random.default_rng(0), hazards, TIMELINES[2], decisions)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(100_000)  # what is made once
    assert peak(2_000_000) < 1.05 * peak(100_000) + 10_000


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (([], TIMELINES[0], 10), "hazards"),
        ((FACTS[0], TIMELINES[0], 0), "decisions"),
        ((FACTS[0], Timeline.from_gaps(np.array([1.0, 2.0])), 2), "timeline"),
        ((FACTS[0], Timeline.from_gaps(1.0, freshness_gap=np.array([1.0])), 1), "timeline"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments, field):
    for function in (play, count_first_changes):
        with pytest.raises(BadInput) as refused:
            function(np.random.default_rng(0), *arguments)
        assert refused.value.field == field


@pytest.mark.parametrize(
    ("options", "field"),
    [({"delay": -1.0}, "delay"), ({"delay": np.nan}, "delay"), ({"block": 0}, "block")],
)
def test_options_of_counting_are_checked(options, field):
    with pytest.raises(BadInput) as refused:
        count_first_changes(np.random.default_rng(0), FACTS[0], TIMELINES[0], 5, **options)
    assert refused.value.field == field
