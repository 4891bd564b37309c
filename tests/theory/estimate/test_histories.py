import math
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.estimate.logs import interval_rows, intervals_log, spans, time_rows, times_log
from theory import BadInput
from theory.estimate import change_times, fit, outages, spells
from theory.estimate.clock import exposure_clock
from theory.estimate.history import named_log
from theory.estimate.intervals import merged


def by_fact(history):
    return {
        fact: (int(changes), float(exposure))
        for fact, changes, exposure in zip(
            history.facts, history.changes, history.exposure, strict=True
        )
    }


def stretches(history, fact):
    """Start, end, age and changed of a fact's stretches."""
    chosen = history.stretches.filter(pl.col("fact") == history.facts.index(fact))
    return chosen.select("start", "end", "age", "changed").rows()


# A slow and plain reading of the same logs, hour by hour: times are whole hours.


def plain_outages(rows, first, last):
    """Changes and exposure by fact: an hour is down if any outage covers it."""
    counted = {}
    for fact in {fact for fact, _, _ in rows}:
        known = [(s, last if e is None else e) for f, s, e in rows if f == fact and s != e]
        known = [(s, e) for s, e in known if s <= last and e >= first]
        down = {hour for s, e in known for hour in range(s, e)}
        # Without an hour of its own, an open outage at the end of the span still is one.
        starts = {s for s, _ in known if s - 1 not in down and first <= s <= last}
        touching = {s for s in starts if any(e == s and s2 < s for s2, e in known)}
        watched = set(range(first, last)) - down
        counted[fact] = (len(starts - touching), float(len(watched)))
    return counted


@given(interval_rows, spans)
def test_outages_are_what_they_are_hour_by_hour(rows, span):
    history = outages(intervals_log(rows), span_start=span[0], span_end=span[1])
    assert by_fact(history) == plain_outages(rows, *span)


@given(time_rows, spans)
def test_change_times_are_outages_of_no_length(rows, span):
    history = change_times(times_log(rows), span_start=span[0], span_end=span[1])
    inside = {(fact, time) for fact, time in rows if span[0] <= time <= span[1]}
    for fact, (changes, exposure) in by_fact(history).items():
        assert changes == sum(name == fact for name, _ in inside)
        assert exposure == span[1] - span[0]


@given(interval_rows, spans)
def test_spells_are_lives_each_watched_within_the_span(rows, span):
    history = spells(intervals_log(rows), span_start=span[0], span_end=span[1])
    counted = {fact: [0, 0.0] for fact, _, _ in rows}
    for fact, start, end in rows:
        if end is None or end > start:
            begun, over = max(start, span[0]), min(span[1] if end is None else end, span[1])
            counted[fact][1] += max(over - begun, 0)
            counted[fact][0] += end is not None and span[0] <= end <= span[1]
    assert by_fact(history) == {fact: tuple(seen) for fact, seen in counted.items()}


@given(interval_rows)
def test_merging_is_idempotent_and_leaves_gaps(rows):
    closed = [(fact, start, start + 1 if end is None else end) for fact, start, end in rows]
    names, table = named_log(intervals_log(closed), ("start", "end"))
    once = merged(table, len(names))
    assert merged(once, len(names)).equals(once)
    for (fact, _, end), (next_fact, start, _) in pairwise(once.rows()):
        assert (fact, end) < (next_fact, start)


@given(interval_rows, spans)
def test_stretches_follow_each_other_and_have_ages_from_the_first_outage_on(rows, span):
    history = outages(intervals_log(rows), span_start=span[0], span_end=span[1])
    for fact in history.facts:
        own = stretches(history, fact)
        assert all(span[0] <= start <= end <= span[1] for start, end, _, _ in own)
        assert all(before[1] <= after[0] for before, after in pairwise(own))
        over = [e for f, s, e in rows if f == fact and e is not None and s < e and e >= span[0]]
        for start, _, age, _ in own:
            assert age == (0.0 if any(end <= start for end in over) else None)


def test_an_outage_is_a_change_at_its_start_and_counts_once():
    rows = [("a", 2, 4), ("a", 3, 5), ("a", 5, 6), ("a", 8, None), ("a", 1, 1)]
    history = outages(intervals_log(rows), span_end=10)
    assert history.span == (1, 10)
    assert stretches(history, "a") == [(1, 2, None, True), (6, 8, 0.0, True)]
    assert history.dropped == (1, 0, 0)


def test_an_outage_cut_by_the_span_takes_time_but_is_no_change_before_it():
    rows = [("a", 0, 3), ("a", 5, 9), ("a", 11, 12)]
    history = outages(intervals_log(rows), span_start=2, span_end=8)
    assert stretches(history, "a") == [(3, 5, 0.0, True)]
    assert history.dropped.outside == 1
    assert outages(intervals_log([("a", 0, 9)]), span_start=2, span_end=8).exposure == [0.0]


def test_changes_at_the_edges_of_the_span_count():
    at_both = [("a", 2), ("a", 5), ("b", 1), ("b", 6)]
    history = change_times(times_log(at_both), span_start=2, span_end=5)
    assert by_fact(history) == {"a": (2, 3.0), "b": (0, 3.0)}
    assert history.dropped == (0, 0, 2)
    own = outages(intervals_log([("a", 2, 3), ("a", 5, None)]), span_start=2, span_end=5)
    assert by_fact(own) == {"a": (2, 2.0)}


def test_several_changes_at_one_moment_are_one():
    history = change_times(times_log([("a", 1), ("a", 1), ("b", 1), ("a", 3)]))
    assert by_fact(history) == {"a": (2, 2.0), "b": (1, 2.0)}
    assert history.dropped.repeated == 1


def test_spells_enter_late_at_the_age_they_have_and_are_cut_at_the_end():
    rows = [("a", 0, 4), ("a", 4, None), ("a", 6, 20), ("a", 5, 5)]
    history = spells(intervals_log(rows), span_start=3, span_end=10)
    assert stretches(history, "a") == [
        (3, 4, 3.0, True),
        (4, 10, 0.0, False),
        (6, 10, 0.0, False),
    ]
    assert history.dropped == (1, 0, 0)


def test_a_fact_that_was_never_watched_has_no_rate():
    rows = [("late", 12, 14), ("seen", 1, 9)]
    found = {fact.fact: fact for fact in fit(spells(intervals_log(rows), span_end=10)).facts}
    assert (found["late"].rate, found["late"].low, found["late"].high) == (None, None, None)
    assert found["late"].exposure == 0.0
    assert found["seen"].rate == pytest.approx(1 / 8)


def test_one_moment_is_no_span():
    estimate = fit(change_times(times_log([("a", 3)]))).pooled
    assert (estimate.changes, estimate.exposure, estimate.rate) == (1, 0.0, None)


@given(interval_rows, spans)
def test_the_clock_advances_by_the_exposure_gone_by(rows, span):
    history = spells(intervals_log(rows), span_start=span[0], span_end=span[1])
    clock = exposure_clock(history)
    assert clock.total.tolist() == pytest.approx(history.exposure.tolist())
    for place, fact in enumerate(history.facts):
        own = stretches(history, fact)
        expected = sorted(
            sum(max(min(end, moment) - start, 0) for start, end, _, _ in own)
            for _, moment, _, changed in own
            if changed
        )
        assert clock.at[clock.fact == place].tolist() == pytest.approx(expected)


@given(interval_rows, spans)
def test_clocks_laid_end_to_end_keep_every_change(rows, span):
    clock = exposure_clock(outages(intervals_log(rows), span_start=span[0], span_end=span[1]))
    one = clock.end_to_end()
    assert one.total.tolist() == pytest.approx([clock.total.sum()])
    assert one.at.size == clock.at.size
    assert (one.at[1:] >= one.at[:-1]).all()


BAD = [
    ("fact", times_log([("a", 1.0)]).drop("fact"), "must be a column of the log"),
    ("time", times_log([("a", 1.0)]).drop("time"), "must be a column of the log"),
    ("log", times_log([]), "at least one row"),
    ("fact", times_log([(None, 1.0)]), "must not be empty"),
    ("time", times_log([("a", None)]), "must not be empty"),
    ("time", times_log([("a", math.nan)]), "must be finite"),
    ("time", times_log([("a", 1e13)]), "must be finite and within 1e[+]12 hours"),
    ("log", pl.DataFrame({"fact": ["a"], "time": ["noon"]}), "must hold numbers"),
]


@pytest.mark.parametrize(("field", "log", "rule"), BAD)
def test_bad_logs_are_refused(field, log, rule):
    with pytest.raises(BadInput, match=rule) as caught:
        change_times(log)
    assert caught.value.field == field


@pytest.mark.parametrize("build", [outages, spells])
def test_bad_intervals_are_refused(build):
    with pytest.raises(BadInput, match=r"end\(=1.0\) must not be before start\(=2\)"):
        build(intervals_log([("a", 2, 1)]))
    with pytest.raises(BadInput, match=r"start.* must not be empty"):
        build(intervals_log([("a", None, 1)]))


@pytest.mark.parametrize(
    ("span", "field"),
    [
        ({"span_start": 5, "span_end": 5}, "span_start"),
        ({"span_start": 9}, "span_start"),
        ({"span_end": 0.5}, "span_end"),
        ({"span_end": math.inf}, "span_end"),
    ],
)
def test_spans_that_hold_nothing_are_refused(span, field):
    with pytest.raises(BadInput) as caught:
        change_times(times_log([("a", 1), ("a", 8)]), **span)
    assert caught.value.field == field


@given(st.floats(-1e-13, 1e-13))
def test_what_rounding_leaves_of_zero_is_zero(tiny):
    history = change_times(times_log([("a", tiny), ("a", 1.0)]), span_start=-tiny)
    assert history.span == (0, 1)
