"""Name match and its tokens: against a plain reference, in any script."""

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from routers import Entry, Notice, make_router
from routers.name import LONGEST_NAME
from routers.tokens import tokens

WORDS = st.sampled_from(["old", "mill", "Mill", "lane", "4", "a", "b", "öl", "塔"])
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


def _entry(entry_id, *options, dependencies=()):
    return Entry(
        id=entry_id, decided=0, deadline=9, options=options, dependencies=dependencies, text="t"
    )


def _reached(router, text):
    return [it.entry for it in router.route(Notice(id="n", published=1, text=text))]


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(NAMES, min_size=1, max_size=3)), TEXTS)
def test_it_finds_what_a_search_for_each_name_finds(names, text):
    router = make_router("name", k=6)
    for entry_id, options in names.items():
        router.open(_entry(entry_id, *options))
    said = f" {' '.join(tokens(text))} "
    found = {
        entry_id: len({run for name in options if f" {(run := ' '.join(tokens(name)))} " in said})
        for entry_id, options in names.items()
    }
    expected = sorted((-count, entry_id) for entry_id, count in found.items() if count)
    made = router.route(Notice(id="n", published=1, text=text))
    assert [(-it.score, it.entry) for it in made] == expected


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.lists(NAMES, min_size=1, max_size=3))))
def test_opening_and_closing_leaves_nothing_behind(steps):
    router = make_router("name")
    open_now = {}
    for entry_id, options in steps:
        if entry_id in open_now:
            router.close(entry_id)
            del open_now[entry_id]
        else:
            router.open(_entry(entry_id, *options))
            open_now[entry_id] = options
    fresh = make_router("name")
    for entry_id, options in open_now.items():
        fresh.open(_entry(entry_id, *options))
    assert router._bearers == fresh._bearers
    assert router._names.keys() == fresh._names.keys()
    assert router._starts.keys() == fresh._starts.keys()
    for word, (names, lengths) in fresh._starts.items():
        kept, known = router._starts[word]
        assert kept == names
        assert set(lengths) <= set(known)  # a length stays until the last of its names is closed


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Old Mill", "the OLD   mill's roof", True),
        ("Old Mill", "the old\nmill, closed", True),
        ("Old Mill", "the old, old mill", True),
        ("Old Mill", "the old millers", False),
        ("Old Mill", "the cold mill", False),
        ("Old Mill", "mill old", False),
        ("Art", "artist at the party", False),
        ("Saint-Denis", "saint denis", True),
        ("Straße 4", "STRASSE 4", True),
        ("Café Zürich", "cafe\u0301 zu\u0308rich", True),
        ("Café", "cafe", False),
        ("ＡＢＣ", "abc", True),
        ("東京タワー", "本日、東京タワーは閉鎖", True),
        ("東京タワー", "東京の夜", False),
        ("हिन्दी", "हिन्द", False),
        ("हिन्दी", "हिन्दी भाषा", True),
        ("สะพาน", "ปิดสะพานใหม่", True),
        ("גשר ישן", "סגור: גשר ישן!", True),
        ("harbour", "har\u00adbour", True),
        ("!!!", "!!! ???", False),
    ],
)
def test_whole_names_in_any_script(name, text, found):
    router = make_router("name")
    router.open(_entry("d", name))
    assert _reached(router, text) == (["d"] if found else [])


def test_dependencies_are_names_too_and_texts_are_not():
    router = make_router("name")
    router.open(_entry("d1", "Old Mill", dependencies=("Line 4",)))
    router.open(
        Entry(id="d2", decided=0, deadline=9, options=("x",), text="Line 4", watch=("Line 4",))
    )
    assert _reached(router, "Line 4 is closed") == ["d1"]


def test_a_longer_name_does_not_hide_a_shorter_one_within_it():
    router = make_router("name")
    router.open(_entry("long", "Old Mill Lane"))
    router.open(_entry("short", "Mill"))
    assert _reached(router, "Old Mill Lane is closed") == ["long", "short"]


def test_an_entry_with_more_of_its_names_said_comes_first():
    router = make_router("name", k=1)
    router.open(_entry("a", "Mill", "Mill"))
    router.open(_entry("b", "Mill", "Quay"))
    assert _reached(router, "Mill, Mill, Mill and Quay") == ["b"]


def test_a_description_is_no_name():
    router = make_router("name")
    words = [f"w{number}" for number in range(LONGEST_NAME + 1)]
    router.open(_entry("name", " ".join(words[:-1])))
    router.open(_entry("description", " ".join(words)))
    assert _reached(router, " ".join(words)) == ["name"]


def test_work_on_a_notice_does_not_grow_with_the_open_names():
    """Counted, not timed: look-ups per notice among 10 and among 10,000 open entries."""

    class Counting(dict):
        asked = 0

        def get(self, *arguments):
            self.asked += 1
            return super().get(*arguments)

    asked = []
    for entries in (10, 10_000):
        router = make_router("name")
        for number in range(entries):
            router.open(_entry(f"d{number}", f"Vel{number} Hall", f"The House {number}"))
        router._starts = Counting(router._starts)
        router._bearers = Counting(router._bearers)
        assert _reached(router, "At Vel7 Hall the house 3 is closed for good") == ["d3", "d7"]
        asked.append((router._starts.asked, router._bearers.asked))
    assert asked[0] == asked[1] == (10, 2)


@given(st.text())
def test_tokens_are_words_of_any_text_and_the_same_however_it_is_composed(text):
    found = tokens(text)
    assert all(found)
    assert not any(re.search(r"\s", token) for token in found)
    if "\u0345" not in text:  # the iota subscript folds to a letter, which then moves
        for form in ("NFC", "NFD"):
            assert tokens(unicodedata.normalize(form, text)) == found
    assert tokens(" ".join(found)) == found


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_ascii_takes_the_short_way_to_the_same_tokens(text):
    assert tokens(text) == tokens(f"{text} é")[:-1]


def test_a_notice_of_ten_thousand_words_is_read(request):
    router = make_router("name")
    router.open(_entry("d", "Old Mill"))
    words = np.random.default_rng(0).choice(["old", "the", "mill", "x"], 10_000)
    assert _reached(router, " ".join(words)) == ["d"]
