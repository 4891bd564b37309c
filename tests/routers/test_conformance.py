"""The conformance kit: ours pass it, and it finds each broken router."""

import numpy as np
import pytest
from broken_routers import BROKEN
from encoders import Bags

from routers import ROUTERS, Delivery, Entry, Ledger, make_router
from routers.conformance import CHECKS, NotConforming, check_router
from routers.ranking import best
from routers.tokens import tokens


class Rarity:
    """A router whose scores follow from all that is open, as those of BM25 do."""

    name = "rarity"
    unbounded = False
    gold = False

    def __init__(self, *, k=3):
        self.k = k
        self.words = {}

    def open(self, entry):
        assert entry.id not in self.words
        self.words[entry.id] = set(tokens(" ".join((entry.text, *entry.background))))

    def close(self, entry_id):
        del self.words[entry_id]

    def route(self, notice):
        said = sorted(set(tokens(notice.text)))
        bearers = {word: sum(word in words for words in self.words.values()) for word in said}
        scores = {
            entry: sum(1 / bearers[word] for word in said if word in words)
            for entry, words in self.words.items()
        }
        return best(notice.id, scores, self.k)


@pytest.mark.parametrize("name", ROUTERS)
def test_every_registered_router_conforms(name):
    """Those that need an encoder get a fast one; `test_dense` runs the kit with the default one."""
    encoder = Bags()
    check_router(lambda k: make_router(name, k=k, encoder=encoder), rng=np.random.default_rng(0))


def test_a_router_whose_scores_depend_on_the_open_set_conforms():
    check_router(lambda k: Rarity(k=k), rng=np.random.default_rng(0))


@pytest.mark.parametrize("broken", BROKEN, ids=lambda it: it.__name__)
def test_a_broken_router_is_found_by_the_check_meant_for_it(broken, monkeypatch):
    check = next(check for check in CHECKS if check.__name__ == BROKEN[broken])
    monkeypatch.setattr("routers.conformance.CHECKS", (check,))
    with pytest.raises(NotConforming, match=check.__name__):
        check_router(lambda k: broken(k=k), rng=np.random.default_rng(0))


def test_the_whole_kit_names_the_check_that_failed():
    with pytest.raises(NotConforming, match=r"delivers_well: .* are more than k"):
        check_router(lambda k: next(iter(BROKEN))(k=k), rng=np.random.default_rng(0))


def test_a_router_that_declares_gold_may_see_it_and_one_that_declares_itself_unbounded_any_number():
    class Oracle(Rarity):
        gold = True
        unbounded = True

        def route(self, notice):
            if notice.extra.get("relation") == "namesake":
                return []
            return best(notice.id, dict.fromkeys(self.words, 1.0), 1_000)

    check_router(lambda k: Oracle(k=k), rng=np.random.default_rng(0))


def test_the_ledger_hands_a_router_no_unknown_field():
    handed = []

    class Recording(Rarity):
        def open(self, entry):
            handed.append(entry)
            super().open(entry)

        def route(self, notice):
            handed.append(notice)
            return super().route(notice)

    with Ledger(router=Recording()) as ledger:
        given = {"decided": 0, "deadline": 9, "options": ["Quay"], "text": "the Quay"}
        ledger.publish({"id": "n1", "published": 2, "text": "the Quay", "relation": "decisive"})
        ledger.open({"id": "d1", "label": 1, **given})
        ledger.publish({"id": "n2", "published": 3, "text": "the Quay", "relation": "decisive"})
        assert ledger.history("d1").record.entry.extra == {"label": 1}
    assert len(handed) == 4
    assert all(not item.extra for item in handed)


def test_a_ledger_stops_a_router_that_delivers_to_a_closed_entry_and_stores_nothing():
    class Ghost(Rarity):
        def route(self, notice):
            return [Delivery(notice.id, "ghost", 1.0)]

    with Ledger(router=Ghost()) as ledger:
        with pytest.raises(NotConforming, match="ghost"):
            ledger.publish({"id": "n1", "published": 2, "text": "the Quay"})
        assert ledger.now() == float("-inf")


def test_ties_go_to_the_lower_id_and_scores_of_nothing_to_nobody():
    scores = {"b": 1.0, "a": 1.0, "c": 2.0, "d": 0.0, "e": 1.0}
    assert [it.entry for it in best("n", scores, 3)] == ["c", "a", "b"]
    assert [it.entry for it in best("n", scores, 9)] == ["c", "a", "b", "e"]


def test_an_entry_has_one_router_at_a_time_and_comes_back_the_same():
    router = make_router("name")
    entry = Entry(id="d", decided=0, deadline=1, options=("Old Mill",), text="t")
    for _ in range(3):
        router.open(entry)
        router.close("d")
    assert router.__dict__ == make_router("name").__dict__
