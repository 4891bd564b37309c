"""Names and wordings: what is written is read back, and no name can be taken for another."""

import re
from datetime import UTC, datetime
from itertools import count, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from routers import Entry
from routers.reading.dossier import read_needs
from routers.reading.effects import blocks
from routers.reading.intervals import Interval, read_intervals
from routers.tokens import tokens
from sim.streams import decisions, kinds, notices, stated
from sim.streams.dates import CLOCKS, DATES, DAY, PHRASES, SHAPES, DateWriter
from sim.streams.dice import Dice
from sim.streams.names import Namer
from sim.streams.scene import SceneWriter, Times
from sim.streams.stated import Activity
from sim.streams.template import fill

EPOCH = datetime(2035, 1, 1, tzinfo=UTC)


def dice(seed=0):
    return Dice(np.random.default_rng(seed))


class Chosen:
    """Dice that choose what they are told to, for going through every wording."""

    def __init__(self, *choices):
        self.choices = list(choices)

    def pick(self, items):
        return items[self.choices.pop(0) % len(items)] if self.choices else items[0]


@st.composite
def intervals(draw):
    """A shape, with a start and an end that it can have, in minutes; and when it is published."""
    shape = draw(st.sampled_from(SHAPES))
    day = DAY * draw(st.integers(30, 3000))
    start = day + (15 * draw(st.integers(0, 95)) if shape not in ("day", "days") else 0)
    if shape == "hours":
        end = draw(st.integers(start // 15 + 1, (day + DAY) // 15)) * 15
    elif shape == "across":
        end = day + DAY * draw(st.integers(1, 3)) + 15 * draw(st.integers(1, 95))
    else:
        end = {"day": day + DAY, "days": day + DAY * draw(st.integers(2, 4)), "open": start}[shape]
    published = (start - DAY * draw(st.integers(0, 60))) / 60
    return shape, start, end, published


@pytest.mark.full
@given(intervals(), st.data())
def test_every_interval_that_is_written_is_read_back_exactly(given_interval, data):
    shape, start, end, published = given_interval
    expected = Interval(start / 60, float("inf") if shape == "open" else end / 60)
    date, clock = (data.draw(st.integers(0, len(ways) - 1)) for ways in (DATES, CLOCKS))
    for phrase in range(len(PHRASES[shape])):
        # The writer picks the phrase, then the date and the clock, or the range of days.
        writer = DateWriter(Chosen(phrase, date, clock), EPOCH)
        text = writer.interval(shape, start, end)
        for sentence in (f"It will be shut {text}.", f"{text}, it will be shut for repairs. Why?"):
            assert read_intervals(sentence, epoch=EPOCH, published=published) == [expected], (
                sentence
            )


@pytest.mark.full
@given(st.integers(0, 10_000))
def test_whole_notices_state_just_the_interval_that_they_were_given(seed):
    own = dice(seed)
    activity = Activity(*(60 * hour for hour in (24 * 40 + 10, 24 * 40 + 14)))
    name = Namer(own).name(kinds.VENUES)
    for given_interval in (
        stated.state_during(own, activity),
        stated.state_elsewhen(own, activity, ("ended-before", "starts-after", "other-day"))[0],
    ):
        shape, start, end = given_interval
        when = DateWriter(own, EPOCH).interval(shape, start, end)
        expected = Interval(start / 60, float("inf") if shape == "open" else end / 60)
        for effects in (notices.BLOCKING, notices.HARMLESS, notices.LAPSING):
            text = notices.write_notice(own, name, effects, when)
            assert read_intervals(text, epoch=EPOCH, published=24 * 36) == [expected], text
            assert blocks(text) == (effects is not notices.HARMLESS), text
            assert name.text in text


@pytest.mark.full
@given(st.integers(0, 10_000))
def test_intervals_lie_where_they_are_meant_to(seed):
    own = dice(seed)
    start = DAY * own.step(20, 60, 1) + own.step(9 * 60, 18 * 60, 30)
    activity = Activity(start, start + own.step(120, 240, 30))
    shape, first, end = stated.state_during(own, activity)
    assert first < activity.end
    assert shape == "open" or end > activity.start
    for where in ("ended-before", "starts-after", "other-day"):
        (shape, first, end), told = stated.state_elsewhen(own, activity, [where])
        assert told == where
        assert first < end or shape == "open"
        # All that is announced begins after the last deadline, four days before the activity's.
        assert first >= activity.day - 3 * DAY
        if where == "ended-before":
            assert end <= activity.start
        elif where == "starts-after":
            assert first >= activity.end
        else:
            assert first // DAY == (end - 1) // DAY != activity.start // DAY
            assert first % DAY < activity.end % DAY
            assert (end - 1) % DAY >= activity.start % DAY


@pytest.mark.parametrize(
    "wordings",
    [
        *PHRASES.values(),
        *(notices.SUBJECTS, notices.BLOCKING, notices.HARMLESS, notices.LAPSING),
        *(notices.REASONS, notices.LAST_WORDS, decisions.DECISIONS, DATES),
    ],
)
def test_every_part_of_a_notice_has_a_dozen_wordings(wordings):
    assert len(set(wordings)) >= 12


def dossiers():
    """Every statement there is, each in an entry of its own."""
    writer = SceneWriter(dice(), EPOCH)
    for kind in kinds.DEPENDENCIES:
        for upstream in kind.upstream:
            for sentence in upstream.sentences:
                yield writer, kind, upstream, "upstream", sentence
    for role, sentences in (
        ("other_names", decisions.OTHER_NAMES),
        ("unneeded", decisions.UNNEEDED),
        ("mentioned", decisions.IRRELEVANT),
    ):
        for sentence in sentences:
            for kind in kinds.DEPENDENCIES:
                yield writer, kind, kind.upstream[0], role, sentence


def test_every_statement_of_a_dossier_is_read_as_what_it_says():
    for writer, kind, upstream, role, sentence in dossiers():
        option, other = (writer.namer.name(kinds.VENUES) for _ in range(2))
        dependency = writer.namer.name(kind.words, article=True)
        new = writer.namer.name(upstream.words, article=True)
        parts = {"d": dependency, "u": new, "x": dependency, "y": new, "a": "chess final"}
        need = fill(kind.sentences[0], parts)
        entry = Entry(
            id="e",
            decided=0.0,
            deadline=1.0,
            options=(option.text, other.text),
            text=f"The chess final goes to {option.text}. {need} {other.text} came second.",
            background=(fill(sentence, parts),),
        )
        needs = read_needs(entry)
        assert needs.dependencies == (dependency.text,), entry.text
        assert getattr(needs, role) == (new.text,), entry.background


def test_no_name_shares_a_word_with_what_it_stands_for():
    writer = SceneWriter(dice(), EPOCH)
    for _ in range(2_000):
        scene = writer.invent()
        assert not set(tokens(scene.named.text)) & set(tokens(scene.other_name.text))
        assert not set(tokens(scene.dependency.text)) & set(tokens(scene.upstream.text))


def test_words_of_a_kind_are_not_those_of_its_other_names_or_upstream():
    assert not set(kinds.VENUES) & set(kinds.VENUE_ALIASES)
    for kind in kinds.DEPENDENCIES:
        upstream = {word for each in kind.upstream for word in each.words}
        assert not set(kind.words) & (set(kind.aliases) | upstream)
        assert len(kind.words) >= 2  # or there would be no namesake a word away


def test_no_name_is_given_twice_and_stems_are_new_each_time():
    namer = Namer(dice())
    names = [namer.name(kinds.VENUES) for _ in range(20_000)]
    assert len({stem for name in names for stem in name.stems}) == 2 * len(names)


def test_a_namesake_is_one_letter_or_one_word_away_and_nobody_else_s_name():
    namer = Namer(dice())
    names = [namer.name(kinds.VENUES) for _ in range(2_000)]
    known = {name.text for name in names}
    ways = set()
    for name in names:
        namesake = namer.namesake(name, kinds.VENUES)
        pairs = list(zip(name.text.split(), namesake.text.split(), strict=True))
        ((mine, theirs),) = [pair for pair in pairs if pair[0] != pair[1]]
        one_letter = len(mine) == len(theirs) and sum(map(str.__ne__, mine, theirs)) == 1
        assert one_letter or (mine, theirs) == (name.word, namesake.word)
        assert namesake.text not in known
        ways.add(one_letter)
    assert ways == {True, False}


def test_names_can_be_spoken_and_are_no_word_of_the_texts():
    namer = Namer(dice())
    stems = [stem for _ in range(10_000) for stem in namer.name(kinds.VENUES).stems]
    # One or two consonants, up to two more where syllables meet, around single vowels.
    spoken = re.compile(r"[bdfghjklmnprstvwyz]{1,2}(?:[aeiou][bdfghklmnprstvwz]{0,2}){3,5}")
    assert all(spoken.fullmatch(stem.lower()) for stem in stems)
    texts = [
        *notices.SUBJECTS + notices.BLOCKING + notices.HARMLESS + notices.LAPSING + notices.REASONS,
        *notices.LAST_WORDS + decisions.DECISIONS + decisions.OTHER_NAMES + decisions.UNNEEDED,
        *decisions.IRRELEVANT + kinds.VENUES + kinds.VENUE_ALIASES + kinds.ACTIVITIES,
    ]
    vocabulary = {word for text in texts for word in tokens(text)}
    assert not vocabulary & {stem.lower() for stem in stems}


def test_a_decision_names_what_it_needs_twice_and_leaves_out_what_all_news_says():
    for entry in islice(entries(), 300):
        said = entry.text
        assert said.count(entry.options[0]) == said.count(entry.dependencies[0]) == 2
        assert not {"will", "at", "of", "closed"} & set(tokens(said))


def entries():
    """Decisions, one after another."""
    writer = SceneWriter(dice(), EPOCH)
    for day in count(20):
        times = Times(*(DAY * day + minutes for minutes in (-9000, -8000, -7000, -6000, 600, 780)))
        yield writer.entry(writer.invent(), times, f"d{day}")


def test_a_decision_states_when_it_takes_place():
    for entry in islice(entries(), 200):
        stated_by_it = read_intervals(entry.text, epoch=EPOCH, published=entry.decided)
        assert stated_by_it == [(entry.action, entry.activity_end)], entry.text
