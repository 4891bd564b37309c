"""The conformance kit of judges: ours pass it, and it finds each broken one."""

from dataclasses import replace

import numpy as np
import pytest

from llm import JUDGES, make_judge
from llm.conformance import CHECKS, check_judge
from llm.judge import NO_NEWS
from llm.reading import input_tokens
from llm.rules import Rules
from routers import Entry, Notice, Verdict
from routers.router import NotConforming
from theory import BadInput


class Moody(Rules):
    """Says something else each time."""

    asked = 0

    def judge(self, entry, notices):
        if not notices:
            return NO_NEWS
        self.asked += 1
        return Verdict(choice="keep" if self.asked % 2 else "switch")


class Chatty(Rules):
    """Is called where nothing arrived."""

    def judge(self, entry, notices):
        return super().judge(entry, notices) if notices else Verdict(choice="keep", tokens=100)


class Restless(Rules):
    """Switches where nothing arrived."""

    def judge(self, entry, notices):
        return super().judge(entry, notices) if notices else Verdict(choice="switch")


class Undecided(Rules):
    """Says maybe."""

    def judge(self, entry, notices):
        return "maybe"


class Peeking(Rules):
    """Reads the gold that came with a decision."""

    def judge(self, entry, notices):
        if notices and entry.extra.get("label") == 1:
            return Verdict(choice="switch", reason="it is said to change")
        return super().judge(entry, notices)


class Spying(Rules):
    """Reads the gold that came with a notice."""

    def judge(self, entry, notices):
        return super().judge(
            entry, [it for it in notices if it.extra.get("relation") != "namesake"]
        )


class Remembering(Rules):
    """Switches once it has read enough."""

    def __init__(self):
        self.read = set()

    def judge(self, entry, notices):
        self.read |= {notice.text for notice in notices}
        if notices and len(self.read) > 20:
            return Verdict(choice="switch", reason="too much news")
        return super().judge(entry, notices)


class Provincial(Rules):
    """Falls over words that are not ASCII."""

    def judge(self, entry, notices):
        for notice in notices:
            notice.text.encode("ascii")
        return super().judge(entry, notices)


class Nameless(Rules):
    """Says no name."""

    name = ""


class Unsaid(Rules):
    """Does not say whether it is simulated."""

    simulated = None


BROKEN = {
    Moody: "answers_alike",
    Remembering: "answers_alike",
    Chatty: "keeps_without_news",
    Restless: "keeps_without_news",
    Undecided: "keeps_or_switches",
    Peeking: "sees_no_gold",
    Spying: "sees_no_gold",
    Provincial: "survives_any_text",
    Nameless: "declares_itself",
    Unsaid: "declares_itself",
}


@pytest.mark.parametrize("name", JUDGES)
def test_every_registered_judge_conforms(name):
    check_judge(lambda: make_judge(name), rng=np.random.default_rng(0))
    assert make_judge(name).name == name


@pytest.mark.parametrize("broken", BROKEN, ids=lambda it: it.__name__)
def test_a_broken_judge_is_found_by_the_check_meant_for_it(broken, monkeypatch):
    check = next(check for check in CHECKS if check.__name__ == BROKEN[broken])
    monkeypatch.setattr("llm.conformance.CHECKS", (check,))
    with pytest.raises(NotConforming, match=check.__name__):
        check_judge(broken, rng=np.random.default_rng(0))


def test_an_unknown_judge_is_refused_with_the_known_ones():
    with pytest.raises(BadInput, match=r"judge\(=oracle\) must be one of rules"):
        make_judge("oracle")


ENTRY = Entry(
    id="d1",
    decided=0,
    deadline=48,
    action=108,  # noon on 5 January 1970
    activity_end=111,
    options=("Velmarin Hall", "Sorrin Barn"),
    text="The concert is at Velmarin Hall. It depends on the Tarn Line.",
    dependencies=("Tarn Line",),
    background=(
        "Velmarin Hall is also known as the Old Granary.",
        "The Tarn Line draws its current from the Wexford Substation.",
        "Velmarin Hall also has the Mirror Terrace, which the concert does not need.",
        "Posters hang in Oslet Museum.",
    ),
)


def choice(*texts, entry=ENTRY):
    news = [
        Notice(id=f"n{number}", published=10.0 + number, text=text)
        for number, text in enumerate(texts)
    ]
    return Rules().judge(entry, news).choice


ON_THE_DAY = "will be closed on 5 January 1970"


@pytest.mark.parametrize(
    "place", ["Velmarin Hall", "The Tarn Line", "The Old Granary", "The Wexford Substation"]
)
def test_rules_switch_on_news_of_anything_needed(place):
    assert choice(f"{place} {ON_THE_DAY}.") == "switch"


@pytest.mark.parametrize(
    "text",
    [
        "Sorrin Barn {}.",
        "The Mirror Terrace {}.",
        "Oslet Museum {}.",
        "Velmorin Hall {}.",
        "Velmarin Court {}.",
        "Velmarin Hall will be closed on 4 January 1970.",
        "Velmarin Hall will be closed on 6 January 1970.",
        "Velmarin Hall will be closed from 15:00 to 18:00 on 5 January 1970.",
        "Velmarin Hall will be closed from 09:00 to 12:00 on 5 January 1970.",
        "Velmarin Hall stays open as usual on 5 January 1970.",
    ],
)
def test_rules_keep_on_news_that_stops_nothing(text):
    assert choice(text.format(ON_THE_DAY)) == "keep"


def test_rules_find_the_one_notice_that_matters():
    assert choice("Sorrin Barn is closed.", f"Velmarin Hall {ON_THE_DAY}.") == "switch"


def test_news_without_an_interval_holds_from_its_publication_on():
    assert choice("Velmarin Hall is closed.") == "switch"


def test_an_activity_without_an_end_is_its_first_moment():
    moment = replace(ENTRY, activity_end=None)
    assert choice("Velmarin Hall will be closed from 12:00 on 5 January 1970.", entry=moment) == (
        "switch"
    )
    assert choice("Velmarin Hall will be closed on 6 January 1970.", entry=moment) == "keep"


def test_input_tokens_are_those_of_dossier_and_notices():
    entry = replace(ENTRY, text="One two.", background=("Three.", "Four five"))
    news = [Notice(id="n", published=1, text="six"), Notice(id="m", published=2, text="七八")]
    assert input_tokens(entry, []) == 5
    assert input_tokens(entry, news) == 8
