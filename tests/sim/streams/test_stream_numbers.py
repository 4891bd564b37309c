"""What a stream holds: the paper's numbers, what was asked for, and nothing that tells the gold."""

import dataclasses
import gc
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

import numpy as np
import pytest

from routers import Entry, Notice
from routers.reading.dossier import read_needs
from sim.streams import (
    RELATED,
    RELATIONS,
    STREAMS,
    Concern,
    Gold,
    Log,
    Truth,
    make_stream,
    parameters_of,
)
from sim.streams.collector import collector_spared
from sim.streams.folder import crowding
from theory import BadInput

CONTROLLED = ("direct", "stress", "stress2", "indirect")
PAPER = {"direct": (110, 50), "stress": (75, 27), "stress2": (73, 45), "indirect": (128, 64)}


def relations(gold):
    return Counter(each.relation for truth in gold.truths.values() for each in truth.notices)


@pytest.mark.parametrize("name", CONTROLLED)
def test_decisions_and_balance_are_the_paper_s(name):
    stream, gold = make_stream(name)
    standing = sum(truth.label == 0 for truth in gold.truths.values())
    assert (len(stream.decisions), standing) == PAPER[name]


def test_indirect_is_balanced_over_kinds_labels_and_traps():
    _, gold = make_stream("indirect")
    truths = gold.truths.values()
    rows = Counter((truth.kind, truth.label) for truth in truths)
    assert len(rows) == 8
    assert set(rows.values()) == {16}
    trapped = Counter(
        (truth.kind, truth.label)
        for truth in truths
        for each in truth.notices
        if each.relation == "irrelevant-role"
    )
    assert sum(trapped.values()) == 96
    assert set(trapped.values()) == {12}


def test_every_decision_of_indirect_has_two_related_notices_and_a_decoy():
    _, gold = make_stream("indirect")
    for truth in gold.truths.values():
        found = [each.relation for each in truth.notices]
        assert sum(relation in RELATED for relation in found) == 2
        assert sum(relation in ("namesake", "unneeded-facility") for relation in found) == 1
        assert len(truth.decisive) == truth.label
        assert "does-not-block" not in found


def test_the_decisive_news_of_indirect_is_of_the_row_s_kind():
    stream, gold = make_stream("indirect")
    texts = {notice.id: notice.text for notice in stream.notices}
    for entry in stream.decisions:
        truth, needs = gold.truths[entry.id], read_needs(entry)
        names = {
            "option": (needs.option,),
            "dependency": needs.dependencies,
            "other-name": needs.other_names,
            "upstream": needs.upstream,
        }
        if truth.label:
            said = texts[truth.decisive[0]]
            kinds = [kind for kind in names if any(name in said for name in names[kind])]
            assert kinds == [truth.kind]


@pytest.mark.parametrize("name", CONTROLLED)
def test_only_what_is_decisive_changes_a_decision(name):
    _, gold = make_stream(name)
    assert all(bool(truth.decisive) == bool(truth.label) for truth in gold.truths.values())


def test_direct_has_more_decisive_pairs_than_changing_decisions():
    _, gold = make_stream("direct")
    assert relations(gold)["decisive"] > sum(truth.label for truth in gold.truths.values())


def test_stress_has_every_kind_of_negative():
    assert set(relations(make_stream("stress")[1])) == set(RELATIONS)


@pytest.mark.parametrize("name", STREAMS)
def test_windows_hold_much_news_of_which_a_handful_is_about_the_decision(name):
    """At least 30 decisions open at a notice in the median, or K = 3 would route everything."""
    for seed in range(2):
        stream, gold = make_stream(name, seed=seed)
        found = crowding(stream)
        assert found["open_median"] >= 30
        assert 24 <= found["window_notices_median"] <= 300
        about = [len(truth.notices) for truth in gold.truths.values()]
        assert np.mean(about) <= 5
        if name != "natural":
            assert min(about) >= 1


@pytest.mark.parametrize("name", STREAMS)
def test_times_are_in_order_and_news_about_a_decision_lies_in_its_window(name):
    stream, gold = make_stream(name)
    published = [notice.published for notice in stream.notices]
    assert published == sorted(published)
    decided = [entry.decided for entry in stream.decisions]
    assert decided == sorted(decided)
    assert stream.timeline.decided.shape == (len(stream.decisions),)
    when = {notice.id: notice.published for notice in stream.notices}
    for entry in stream.decisions:
        for each in gold.truths[entry.id].notices:
            assert entry.decided < when[each.notice] <= entry.deadline


@pytest.mark.parametrize("name", STREAMS)
def test_a_seed_gives_one_stream_and_another_seed_another(name):
    first, again, other = (make_stream(name, seed=seed, decisions=40) for seed in (1, 1, 2))
    assert first == again
    assert first.stream.notices != other.stream.notices
    assert first.stream.made == {
        "seed": 1,
        "parameters": parameters_of(name) | {"decisions": 40},
    }


def parts(value, seen):
    """Everything that can be reached from a value by attributes, items and keys."""
    if id(value) in seen or isinstance(value, str | bytes | int | float | type(None)):
        return
    seen[id(value)] = value
    held = [vars(value)] if hasattr(value, "__dict__") else []
    if isinstance(value, Mapping):
        held += [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        held += list(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        held += [getattr(value, field.name) for field in dataclasses.fields(value)]
    for part in held:
        parts(part, seen)


@pytest.mark.parametrize("name", STREAMS)
def test_nothing_public_leads_to_gold(name):
    stream, gold = make_stream(name, decisions=60)
    reached = {}
    parts(stream, reached)
    kinds = {type(value) for value in reached.values()}
    assert {Entry, Notice} <= kinds
    assert not kinds & {Gold, Truth, Concern, Log}
    control = {}
    parts([stream, gold], control)
    assert {Gold, Truth} <= {type(value) for value in control.values()}
    said = json.dumps([each.to_json() for each in (*stream.decisions, *stream.notices)])
    for word in (*RELATIONS, '"label"', '"kind"', '"cause"', '"relation"'):
        assert f'"{word}"' not in said
    assert not any(each.extra for each in (*stream.decisions, *stream.notices))


@pytest.mark.parametrize("decisions", range(1, 13))
@pytest.mark.parametrize("name", STREAMS)
def test_small_streams_are_made_too(name, decisions):
    stream, gold = make_stream(name, decisions=decisions)
    assert len(stream.decisions) == len(gold.truths) == decisions


@pytest.mark.parametrize(
    ("name", "asked", "says"),
    [
        ("indirect", {"decisions": 0}, "decisions(=0) must be >= 1"),
        ("indirect", {"decisions": 1.5}, "decisions(=1.5) must be a whole number"),
        ("indirect", {"decisions": True}, "decisions(=True) must be a whole number"),
        ("indirect", {"traps": 129}, "traps(=129) must be <= the 128 decisions"),
        (
            "indirect",
            {"decisions": 1, "traps": 1},
            "traps(=1) must be fewer: 1 windows hold no other",
        ),
        ("indirect", {"standing": 129}, "standing(=129) must be <= the 128 decisions"),
        ("indirect", {"standing": -1}, "standing(=-1) must be >= 0"),
        ("indirect", {"related": 0}, "related(=0) must be >= 1"),
        ("direct", {"window": 0.0}, "window(=0.0) must be between 2 and 10,000 hours, or no"),
        ("direct", {"window": float("nan")}, "window(=nan) must be between"),
        ("stress", {"open_decisions": 0}, "open_decisions(=0) must be >= 1"),
        ("direct", {"traps": 3}, "traps(=3) is no parameter of direct, which takes decisions"),
        ("natural", {"facts": 4}, "facts(=4) must be <= 3"),
        ("natural", {"hazard": -1.0}, "hazard(=-1.0) must be between 0 and 1 per hour"),
        ("natural", {"hazard": float("inf")}, "hazard(=inf) must be between 0 and 1 per hour"),
        (
            "natural",
            {"decisions": 3, "traps": 0, "hazard": 1.0, "exclude_stale": True, "freshness": 144.0},
            "exclude_stale(=True) leaves none of 3 decisions",
        ),
        (
            "direct",
            {"decisions": 100_000, "window": 9_999.0, "open_decisions": 1},
            "open_decisions(=1) must be more, or 100,000 decisions of 9999 hours run past",
        ),
        ("natural", {"delay": -1.0}, "delay(=-1.0) must be >= 0"),
        ("natural", {"freshness": 1e6}, "freshness(=1000000.0) must be between 0 and 144"),
        ("natural", {"share": 0}, "share(=0) must be >= 1"),
        ("natural", {"decisions": 1, "traps": 1}, "traps(=1) must be <= 0"),
        ("inverse", {}, "stream(=inverse) must be one of direct, stress"),
    ],
)
def test_parameters_that_cannot_be_met_say_which_and_why(name, asked, says):
    with pytest.raises(BadInput) as error:
        make_stream(name, **asked)
    assert says in str(error.value)


def test_numbers_are_met_where_they_are_asked_for():
    stream, gold = make_stream(
        "indirect", decisions=50, standing=13, traps=20, related=3, decoys=2, open_decisions=100
    )
    counts = relations(gold)
    assert sum(truth.label == 0 for truth in gold.truths.values()) == 13
    assert counts["irrelevant-role"] == 20
    assert counts["decisive"] == 37
    assert len(stream.notices) == 50 * 5


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("decisions", [3, 0])
def test_the_collector_of_cycles_is_left_as_it_was(enabled, decisions):
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with suppress(BadInput):
            make_stream("direct", decisions=decisions)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()


@pytest.mark.parametrize("spared", [True, False])
def test_what_the_collector_of_cycles_passes_over_is_left_as_it_was(spared):
    assert gc.get_freeze_count() == 0
    try:
        if spared:
            gc.freeze()
        with suppress(ZeroDivisionError), collector_spared():
            assert gc.get_freeze_count() > 0
            raise ZeroDivisionError
        assert (gc.get_freeze_count() > 0) == spared
    finally:
        gc.unfreeze()
