"""The label checker agrees with every stream, and would not if a label or a text were wrong."""

from dataclasses import replace

import pytest

from routers.reading.names import likely_names
from sim.streams import Labelled, disagreements, happened, make_stream, read_labels

CONTROLLED = ("direct", "stress", "stress2", "indirect")
# Seeds take turns with what a user may ask for.
ASKED = {
    "direct": [{}, {"decisions": 7}, {"open_decisions": 300, "window": 200.0}],
    "stress": [{}, {"traps": 60}, {"window": 5.0}],
    "stress2": [{}, {"standing": 0}, {"open_decisions": 1, "traps": 0}],
    "indirect": [{}, {"related": 4, "decoys": 3}, {"standing": 128, "traps": 0}],
}


@pytest.mark.full
@pytest.mark.parametrize("name", CONTROLLED)
def test_texts_say_of_every_decision_what_its_gold_says(name, full):
    """Labels and relations of all decisions, over 200 seeds or a tenth."""
    for seed in range(200 if full else 20):
        asked = ASKED[name][seed % 5] if seed % 5 < 3 else {}
        made = make_stream(name, seed=seed, **asked)
        assert disagreements(made) == [], (seed, asked)


@pytest.mark.parametrize("name", CONTROLLED)
def test_a_wrong_label_is_found(name):
    made = make_stream(name)
    decision, truth = next(iter(made.gold.truths.items()))
    wrong = replace(truth, label=1 - truth.label)
    gold = replace(made.gold, truths={**made.gold.truths, decision: wrong})
    assert [each.decision for each in disagreements(Labelled(made.stream, gold))] == [decision]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "Old Nobody Hall will be closed.",
        lambda text: text + " It will stay open as usual.",
        lambda text: f"{likely_names(text)[0]} will be closed on 1 June 2099.",
    ],
)
def test_a_wrong_text_is_found(change):
    made = make_stream("indirect", decisions=40)
    decisive = {each for truth in made.gold.truths.values() for each in truth.decisive}
    notices = tuple(
        replace(notice, text=change(notice.text)) if notice.id in decisive else notice
        for notice in made.stream.notices
    )
    found = disagreements(Labelled(replace(made.stream, notices=notices), made.gold))
    changing = {truth.decision for truth in made.gold.truths.values() if truth.label}
    assert {each.decision for each in found if each.found.label != each.gold.label} == changing


def test_a_wrong_time_is_found():
    made = make_stream("indirect")
    early = tuple(replace(notice, published=1.0) for notice in made.stream.notices)
    wrong = Labelled(replace(made.stream, notices=early), made.gold)
    assert {each.found.label for each in disagreements(wrong)} == {0}
    assert len(disagreements(wrong)) == len(made.gold.truths)


def test_a_namesake_is_taken_for_nobody():
    made = make_stream("stress")
    namesakes = {
        (truth.decision, each.notice)
        for truth in made.gold.truths.values()
        for each in truth.notices
        if each.relation == "namesake"
    }
    found = {
        (decision, each.notice)
        for decision, reading in read_labels(made.stream).items()
        for each in reading.notices
    }
    assert len(namesakes) >= 20
    assert not namesakes & found


NATURAL = [
    {},
    {"delay": 6.0},
    {"share": 3},
    {"exclude_stale": True},
    {"freshness": 0.0},
    {"facts": 1, "hazard": 0.02},
    {"decisions": 1, "open_decisions": 1},
]


@pytest.mark.full
def test_the_log_of_the_world_says_of_every_decision_what_its_gold_says(full):
    """Labels, causes and decisive notices, over 200 seeds or a tenth."""
    for seed in range(200 if full else 20):
        asked = {"decisions": 200} | NATURAL[seed % len(NATURAL)]
        stream, gold = make_stream("natural", seed=seed, **asked)
        log = happened(stream, gold)
        truths = [gold.truths[decision] for decision in log["decision"]]
        assert [truth.label for truth in truths] == log["label"].to_list()
        assert [truth.cause for truth in truths] == log["cause"].to_list()
        for entry, truth in zip(stream.decisions, truths, strict=True):
            decisive = {
                change.notice
                for change in gold.log.changes
                if change.fact in truth.facts
                and change.changed > entry.verified
                and entry.decided < change.published <= entry.deadline
            }
            assert set(truth.decisive) == decisive


def test_texts_say_of_a_natural_stream_which_news_is_decisive():
    for asked in NATURAL:
        if "delay" in asked:
            continue  # news of what the evidence knew already: its text cannot tell
        stream, gold = make_stream("natural", **{"decisions": 300} | asked)
        readings = read_labels(stream)
        for truth in gold.truths.values():
            assert readings[truth.decision].notices == truth.notices


def test_a_wrong_natural_label_is_found():
    stream, gold = make_stream("natural", decisions=300)
    first = min(change.changed for change in gold.log.changes)
    fewer = tuple(change for change in gold.log.changes if change.changed > first + 100)
    without = happened(stream, replace(gold, log=replace(gold.log, changes=fewer)))
    assert without["label"].sum() < happened(stream, gold)["label"].sum()
