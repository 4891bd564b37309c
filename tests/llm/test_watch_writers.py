"""Watch writers: ours conform and say what an activity rests on; each broken one is found."""

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from llm import WATCH_WRITERS, make_watch_writer, with_conditions
from llm.conditions import Role, conditions
from llm.watch import MOST
from llm.watch_conformance import CHECKS, check_watch_writer
from llm.watch_rules import WatchRules
from routers import Entry
from routers.router import NotConforming
from theory import BadInput


class Wordy(WatchRules):
    """Writes a condition a name, however many."""

    def write(self, entry):
        return [f"Mind {name}." for name in entry.dependencies * 2] + ["Mind the option."] * 8


class Crowded(WatchRules):
    """Writes one a dependency."""

    def write(self, entry):
        return [f"Mind {name}." for name in entry.dependencies]


class Silent(WatchRules):
    """Writes an empty sentence."""

    def write(self, entry):
        return [""]


class Single(WatchRules):
    """Writes a text in place of a list."""

    def write(self, entry):
        return "Mind the option."


class Moody(WatchRules):
    """Writes something else each time."""

    def __init__(self):
        self.asked = count()

    def write(self, entry):
        return [*super().write(entry)[:2], f"Mind {next(self.asked)}."]


class Building(WatchRules):
    """Builds on what was there."""

    def write(self, entry):
        return list(dict.fromkeys((*entry.watch, *super().write(entry))))[:MOST]


class Peeking(WatchRules):
    """Reads gold."""

    def write(self, entry):
        return super().write(entry)[: 2 + int(entry.extra.get("label", 0))]


class Provincial(WatchRules):
    """Falls over words that are not ASCII."""

    def write(self, entry):
        "".join((entry.text, *entry.options)).encode("ascii")
        return super().write(entry)


class Unversioned(WatchRules):
    """Says no version."""

    version = ""


BROKEN = {
    Wordy: "writes_sentences",
    Silent: "writes_sentences",
    Single: "writes_sentences",
    Crowded: "keeps_to_a_few",
    Moody: "writes_alike",
    Building: "writes_anew",
    Peeking: "sees_no_gold",
    Provincial: "survives_any_text",
    Unversioned: "declares_itself",
}


@pytest.mark.parametrize("name", WATCH_WRITERS)
def test_every_registered_writer_conforms(name):
    check_watch_writer(lambda: make_watch_writer(name), rng=np.random.default_rng(0))
    assert make_watch_writer(name).name == name


@pytest.mark.parametrize("broken", BROKEN, ids=lambda it: it.__name__)
def test_a_broken_writer_is_found_by_the_check_meant_for_it(broken, monkeypatch):
    check = next(check for check in CHECKS if check.__name__ == BROKEN[broken])
    monkeypatch.setattr("llm.watch_conformance.CHECKS", (check,))
    with pytest.raises(NotConforming, match=check.__name__):
        check_watch_writer(broken, rng=np.random.default_rng(0))


def test_an_unknown_writer_is_refused_with_the_known_ones():
    with pytest.raises(BadInput, match=r"watch\(=fortune\) must be one of rules, everything"):
        make_watch_writer("fortune")


ENTRY = Entry(
    id="d1",
    decided=0,
    deadline=48,
    activity="concert",
    options=("Velmarin Hall", "Sorrin Barn"),
    text="The concert is at Velmarin Hall. It depends on the Tarn Line.",
    dependencies=("Tarn Line",),
    evidence=("The Tarn Line is fed from the Brenner Dam, its office said on 15 Jan 2035.",),
    background=(
        "Velmarin Hall is also known as the Old Granary.",
        "The Tarn Line draws its current from the Wexford Substation.",
        "Velmarin Hall also has the Mirror Terrace, which the concert does not need.",
        "Posters hang in Oslet Museum.",
    ),
)
NEEDED = ("Velmarin Hall", "Tarn Line", "Old Granary", "Wexford Substation", "Brenner Dam")
OTHERS = ("Sorrin Barn", "Mirror Terrace", "Oslet Museum")


def test_rules_watch_what_evidence_and_dossier_say_is_needed_and_nothing_else():
    written = make_watch_writer("rules").write(ENTRY)
    assert len(written) == len(NEEDED)
    assert all(any(name in sentence for sentence in written) for name in NEEDED)
    assert not any(name in sentence for sentence in written for name in (*OTHERS, "Jan"))


def test_everything_is_watched_by_the_writer_that_leaves_nothing_out():
    written = make_watch_writer("everything").write(ENTRY)
    assert len(written) == MOST
    assert all(any(name in sentence for sentence in written) for name in (*NEEDED, *OTHERS))


def test_where_the_dossier_gives_nothing_the_option_is_watched():
    bare = replace(ENTRY, text="Velmarin Hall it is.", dependencies=(), evidence=(), background=())
    [sentence] = make_watch_writer("rules").write(bare)
    assert "Velmarin Hall" in sentence


@pytest.mark.parametrize("names", [(1, 1), (8, 0), (3, 20), (20, 3), (1, 50), (9, 9)])
def test_names_share_sentences_where_they_would_be_too_many_and_none_is_lost(names):
    first, second = [f"a{i}" for i in range(names[0])], [f"b{i}" for i in range(names[1])]
    written = conditions(ENTRY, [Role(first, "{names};"), Role(second, "{names};")])
    assert len(written) == min(MOST, len(first) + len(second))
    told = " ".join(written).replace(" and ", " ").replace(",", "").replace(";", "").split()
    assert told == [*first, *second]


def test_conditions_take_the_place_of_others_and_gold_stays_out_of_sight():
    handed = []

    class Recording(WatchRules):
        def write(self, entry):
            handed.append(entry)
            return super().write(entry)

    before = replace(ENTRY, watch=("The Old Mill is shut.",), extra={"label": 1})
    after = with_conditions(before, Recording())
    by = {"label": 1, "watch_by": {"writer": "rules", "version": "1"}}
    assert after == replace(before, watch=tuple(WatchRules().write(ENTRY)), extra=by)
    assert [(it.watch, it.extra) for it in handed] == [((), {})]
