"""The time filter: what it drops, what it keeps, and that routers so wrapped are routers still."""

from dataclasses import replace

import numpy as np
import pytest
from encoders import Bags
from hypothesis import given
from hypothesis import strategies as st

from routers import ROUTERS, Entry, Ledger, Notice, make_router
from routers.conformance import check_router
from routers.router import WRAPPERS, NotConforming
from routers.time_filter import TimeFilter
from theory import BadInput

NAMES = [f"{name}+time-filter" for name in ROUTERS]
NOON, THREE = 108.0, 111.0  # on 5 January 1970
CONCERT = Entry(
    id="concert",
    decided=0,
    deadline=72,
    action=NOON,
    activity_end=THREE,
    options=("Velmarin Hall",),
    text="The concert is at Velmarin Hall.",
)


def kept(when, *, entry=CONCERT, epoch=None):
    router = make_router("broadcast+time-filter")
    router.open(entry)
    made = router.route(Notice(id="n", published=24, text=f"Velmarin Hall will be closed {when}."))
    assert router.dropped == 1 - len(made)
    return bool(made)


@pytest.mark.parametrize("name", NAMES)
def test_every_router_conforms_with_the_filter_around_it(name):
    encoder = Bags()  # fast, where a router reads by one
    check_router(lambda k: make_router(name, k=k, encoder=encoder), rng=np.random.default_rng(0))
    router = make_router(name, k=2, encoder=encoder)
    assert (router.name, router.k) == (name, 2)


def test_the_kit_dates_its_news_so_that_a_filter_with_a_memory_is_found():
    class Once(TimeFilter):
        """Drops nothing before it has seen two drops."""

        def route(self, notice):
            before = self.dropped
            made = super().route(notice)
            return made if before > 1 else self._router.route(notice)

    with pytest.raises(NotConforming):
        check_router(lambda k: Once(make_router("name", k=k)), rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    "when",
    [
        "from 15:00 on 5 January 1970 until further notice",  # the moment at which it is over
        "on 6 January 1970",
        "from 9 to 11 January",
        "from 3 p.m. to 6 p.m. on Monday 5 January",
        "on 6 January and on 7 January",
    ],
)
def test_news_that_starts_when_the_activity_is_over_is_dropped(when):
    assert not kept(when)


@pytest.mark.parametrize(
    "when",
    [
        "from 14:30 on 5 January 1970 until further notice",
        "on 5 January 1970",
        "on 4 January",  # ended before: of no use either, but that is for its reader to say
        "until 9 January",
        "on 7 January and on 5 January",
        "",
        "from 5/6/1970 to 14/6/1970",  # in May or in June, but after what it may mean
        "soon",
        "some day next week",
    ],
)
def test_what_starts_before_or_cannot_be_read_is_kept(when):
    assert kept(when)


def test_an_activity_without_an_end_keeps_everything():
    assert kept("on 9 January 1970", entry=replace(CONCERT, activity_end=None))


def test_each_entry_is_held_against_its_own_end_and_nothing_takes_a_place_that_is_left():
    router = make_router("name+time-filter", k=2)
    told = []
    router.tell = told.append
    ends = {"a": THREE, "b": THREE + 48, "c": THREE + 96}
    for entry_id, end in ends.items():
        router.open(replace(CONCERT, id=entry_id, activity_end=end))
    news = Notice(id="n", published=24, text="Velmarin Hall will be closed on 6 January 1970.")
    assert [made.entry for made in router.route(news)] == ["b"]
    assert [made.entry for made in told] == ["a"]
    router.close("b")
    assert [made.entry for made in router.route(news)] == ["c"]
    router.open(replace(CONCERT, id="b", activity_end=THREE))
    assert router.route(news) == []
    assert router.dropped == len(told) == 4


@given(st.integers(0, 20), st.integers(0, 20), st.sampled_from(["name", "bm25-text", "broadcast"]))
def test_it_only_takes_away_what_starts_at_or_after_the_end(start, end, name):
    plain, filtered = make_router(name), make_router(f"{name}+time-filter")
    for router in (plain, filtered):
        router.open(replace(CONCERT, action=None, activity_end=96.0 + end))
    text = f"Velmarin Hall will be closed from {start}:00 on 5 January 1970 until further notice."
    news = Notice(id="n", published=24, text=text)
    assert filtered.route(news) == ([] if start >= end else plain.route(news))


def test_dates_in_texts_count_from_the_ledgers_epoch(tmp_path):
    file = tmp_path / "l.db"
    given = {"decided": 0, "deadline": 9, "activity_end": 12, "options": ["Quay"], "text": "Quay"}
    with Ledger(file, router="name+time-filter", epoch="2026-01-01T00:00Z") as ledger:
        ledger.open({"id": "d", **given})
        late = {"id": "n1", "published": 1, "text": "Quay shut from 12:00 on 1 January 2026 on"}
        assert ledger.publish(late) == []
    with Ledger(file, router="name+time-filter") as ledger:  # again from the file
        late = {"id": "n2", "published": 2, "text": "Quay shut on 2 January 2026"}
        assert ledger.publish(late) == []
        early = {"id": "n3", "published": 3, "text": "Quay shut from 11:00 on 1 January 2026"}
        assert [made.entry for made in ledger.publish(early)] == ["d"]
    with pytest.raises(BadInput, match=r"router\(=name\) must be name\+time-filter"):
        Ledger(file, router="name")


@pytest.mark.parametrize(
    "name", ["time-filter", "name+", "name+x", "name+time-filter+time-filter", "+time-filter", ""]
)
def test_a_name_that_says_no_router_is_refused(name):
    with pytest.raises(BadInput, match=r"must be one of none, .* with or without \+time-filter"):
        make_router(name)


@pytest.mark.parametrize("name", WRAPPERS)
def test_what_is_put_around_a_router_is_in_its_name(name):
    assert make_router(f"none+{name}").name == f"none+{name}"
