"""The BM25 routers: what they index, whom they reach, and that they do without numba."""

import subprocess
import sys

import numpy as np
import pytest

from routers import Entry, Notice, bm25, make_router
from routers.bm25 import Bm25
from routers.conformance import check_router
from routers.index_text import INDEX_TEXTS
from theory.errors import BadInput

NAMES = [f"bm25-{text}" for text in INDEX_TEXTS]


def entry(entry_id, text, **more):
    return Entry(id=entry_id, decided=0, deadline=1, options=("A",), text=text, **more)


def reached(router, text):
    made = router.route(Notice(id="n", published=0.5, text=text))
    return [delivery.entry for delivery in made]


def opened(router, *entries):
    for it in entries:
        router.open(it)
    return router


CONCERT = entry(
    "concert",
    "A concert at Harbour Hall",
    evidence=("The hall was inspected in March",),
    background=("Harbour Hall is fed by substation North",),
    watch=("Tram line 4 stops running",),
)
PICNIC = entry("picnic", "A picnic in the park")


def test_each_index_text_reaches_by_what_it_holds():
    reach = {
        name: [
            bool(reached(opened(make_router(name), CONCERT, PICNIC), text))
            for text in ("harbour", "substation", "tram", "inspected")
        ]
        for name in NAMES
    }
    assert reach == {
        "bm25-text": [True, False, False, False],
        "bm25-dossier": [True, True, False, False],
        "bm25-watch": [True, False, True, False],
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_its_name_and_k_are_what_it_was_made_with(name, k):
    router = make_router(name, k=k)
    assert (router.name, router.k) == (name, k)
    opened(router, *(entry(f"e{number}", "at the quay") for number in range(4)))
    assert reached(router, "Quay closed") == ["e0", "e1", "e2", "e3"][:k]


def test_the_entry_that_shares_the_rarer_word_comes_first():
    router = opened(
        make_router("bm25-text"),
        entry("a", "a walk to the mill"),
        entry("b", "a walk to the quay"),
        entry("c", "a walk to the mill"),
    )
    assert reached(router, "mill and quay") == ["b", "a", "c"]
    router.close("c")
    router.close("b")
    assert reached(router, "mill and quay") == ["a"]


@pytest.mark.parametrize("text", ["zzz", "?!", "\U0001f30a", "-" * 9])
def test_a_notice_without_a_known_word_reaches_nobody(text):
    assert reached(opened(make_router("bm25-text"), CONCERT, PICNIC), text) == []


def test_with_no_open_entry_a_notice_reaches_nobody():
    router = make_router("bm25-text")
    assert reached(router, "Harbour Hall") == []
    opened(router, CONCERT).close("concert")
    assert reached(router, "Harbour Hall") == []


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("Konzert in der STRASSE", "strae".replace("ae", "aße")),
        ("東京タワー", "タワー"),
        ("שלום עולם", "עולם"),
        ("हिन्दी मेला", "मेला"),
        ("кафе «Мост»", "МОСТ"),
        ("a\u0301pril", "\u00e1pril"),
    ],
)
def test_any_script_reaches_in_any_case_and_form(text, notice):
    assert reached(opened(make_router("bm25-text"), entry("it", text), PICNIC), notice) == ["it"]


def test_a_notice_of_ten_thousand_words_is_routed():
    rng = np.random.default_rng(0)
    long = " ".join(map(str, rng.integers(0, 5_000, 10_000)))
    assert reached(opened(make_router("bm25-text"), CONCERT), f"{long} harbour") == ["concert"]


def test_stop_words_count_unless_told():
    entries = entry("a", "the picnic"), entry("b", "picnic by the the the river")
    assert reached(opened(Bm25(), *entries), "The end") == ["b", "a"]
    assert reached(opened(Bm25(stop_words=False), *entries), "The end") == []
    assert reached(opened(Bm25(stop_words=False), *entries), "the river") == ["b"]


def test_k1_and_b_change_the_ranking():
    entries = entry("often", "quay quay quay by night and by day"), entry("short", "quay")
    assert reached(opened(Bm25(k1=0), *entries), "quay") == ["often", "short"]
    assert reached(opened(Bm25(b=0), *entries), "quay") == ["often", "short"]
    assert reached(opened(Bm25(b=1), *entries), "quay") == ["short", "often"]


@pytest.mark.parametrize(
    ("given", "field"),
    [({"k1": -1}, "k1"), ({"b": 2}, "b"), ({"k": 0}, "k"), ({"index_text": "title"}, "index_text")],
)
def test_what_it_cannot_be_made_with_is_refused(given, field):
    with pytest.raises(BadInput, match=rf"^{field}\("):
        Bm25(**given)


def test_importing_the_routers_and_routing_a_little_loads_no_numba():
    code = """
import sys
from routers import Entry, Ledger
with Ledger(router="bm25-text") as ledger:
    ledger.open(Entry(id="d", decided=0, deadline=9, options=("a",), text="the quay"))
    made = ledger.publish({"id": "n", "published": 1, "text": "Quay closed"})
sys.exit(len(made) != 1 or "numba" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture
def no_numba(monkeypatch):
    for module in ("numba", "routers.compiled", "routers.bm25_index", "routers.bm25_kernel"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)


@pytest.mark.parametrize("patience", [1, 9])
def test_it_conforms_compiled_too_from_the_start_or_from_some_moment_on(patience, monkeypatch):
    monkeypatch.setattr(bm25, "PATIENCE", patience)
    check_router(lambda k: Bm25(k=k), rng=np.random.default_rng(0))


def test_it_moves_to_the_compiled_index_once_that_pays_and_delivers_the_same(monkeypatch):
    monkeypatch.setattr(bm25, "PATIENCE", 12)
    entries = [entry(f"e{number}", f"at the quay {number % 3} {number}") for number in range(9)]
    router = opened(Bm25(), *entries)
    router.close("e4")
    notices = [Notice(id="n", published=0.5, text=text) for text in ("quay 1", "5 at 2")]
    before = [router.route(notice) for notice in notices]
    assert type(router._index).__name__ == "ReferenceIndex"
    after = [router.route(notice) for notice in notices]
    assert type(router._index).__name__ == "CompiledIndex"
    assert after == before
    router.close("e1")
    assert "e1" not in reached(router, "quay 1")


def test_without_numba_it_says_so_once_and_stays_plain(no_numba, monkeypatch):
    monkeypatch.setattr(bm25, "PATIENCE", 3)
    router = opened(Bm25(), CONCERT, PICNIC)
    with pytest.warns(RuntimeWarning, match="numba"):
        assert reached(router, "harbour") == ["concert"]
    assert type(router._index).__name__ == "ReferenceIndex"
    assert reached(router, "harbour") == ["concert"]
