"""Many operations at once against the same ones by one: the same answers, errors and rows."""

import sqlite3
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_conformance import Rarity

from routers import Entry, Ledger, Notice, Verdict, intake, settling
from theory.errors import BadInput

TABLES = {"ledger": "1", "entries": "seq", "notices": "seq", "deliveries": "entry, notice"}
WORDS = st.sets(st.sampled_from(["mill", "quay"]), min_size=1).map(lambda it: " ".join(sorted(it)))
TIMES = st.integers(0, 12).map(lambda half: half / 2)
OTHER = datetime(2000, 1, 1, tzinfo=UTC)
# What is known to JSON only after a round trip, and what JSON cannot hold.
EXTRAS = st.sampled_from([{}, {}, {}, {}, {"tag": 1}, {"tag": (1, 2)}, {"tag": float("nan")}])
EPOCHS = st.sampled_from([{}] * 15 + [{"epoch": OTHER}])


@st.composite
def entries(draw):
    decided = draw(TIMES)
    return Entry(
        id=f"x{draw(st.integers(0, 5))}",
        decided=decided,
        deadline=decided + draw(st.sampled_from([1.0, 4.0, 9.0])),
        options=("x",),
        text=draw(WORDS),
        confirm=draw(st.booleans()),
        extra=draw(EXTRAS),
        **draw(EPOCHS),
    )


@st.composite
def notices(draw):
    return Notice(
        id=f"x{draw(st.integers(0, 9))}",
        published=draw(TIMES),
        text=draw(WORDS),
        extra=draw(EXTRAS),
        **draw(EPOCHS),
    )


ISO = Notice.from_json({"id": "iso", "published": "1970-01-01T04:00Z", "text": "mill"})
items = st.one_of(entries(), notices(), notices(), st.just(ISO))
# Some come again, the very same.
sequences = st.lists(items, max_size=14).flatmap(
    lambda drawn: st.permutations([*drawn, *drawn[::4]]).map(tuple)
)
verdicts = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 6).map(lambda number: f"x{number}"), st.just(["x1"])),
        st.sampled_from(
            [
                Verdict(choice="keep"),
                {"choice": "switch"},
                {"choice": "switch", "reason": "shut", "by": "me"},
                {"choice": "neither"},
                Verdict(choice="keep", extra={"tag": float("nan")}),
            ]
        ),
    ),
    max_size=8,
)


class Clock:
    """A clock that goes on by itself whenever it is told to."""

    def __init__(self):
        self.now = 0.0

    def ticking(self, things, step):
        for thing in things:
            self.now += step
            yield thing


def rows(ledger):
    return {
        table: ledger._store._execute(f"SELECT * FROM {table} ORDER BY {order}").fetchall()
        for table, order in TABLES.items()
    }


def told(work):
    """What came of some work: its error line, or None."""
    try:
        work()
    except BadInput as error:
        return str(error)
    return None


def play(given, answers, *, at_once, ticks, forget, step):
    """Both ways into a new ledger; everything that can be seen of it afterwards."""
    clock, seen = Clock(), []
    ledger = Ledger(router=Rarity(k=2), clock=(lambda: clock.now) if ticks else None)

    def take():
        if at_once:
            taken = ledger.take(clock.ticking(given, step))
            seen.append((taken.deliveries, taken.ignored))
        else:
            made, ignored = [], []
            for item in clock.ticking(given, step):
                taken = ledger.take([item])
                made += taken.deliveries
                ignored += taken.ignored
            seen.append((made, ignored))

    def decide():
        coming = clock.ticking(answers, step)
        if at_once:
            seen.append(ledger.decide_many(coming))
        else:
            seen.append([ledger.decide(*answer) for answer in coming])

    with ledger:
        if forget is not None:
            ledger.publish(Notice(id="first", published=forget, text="mill"))
            clock.now = forget
            ledger.forget(forget)
        with ledger.batch():
            seen.append(told(take))
            seen.append(told(decide))
            seen.append(rows(ledger))
        seen.append(rows(ledger))
        names = [record.entry.id for record in ledger.records()]
        seen.append([ledger.history(name).to_json() for name in names])
        # Whether the router has followed.
        after = Notice(id="last", published=max(6.5, ledger.now()), text="mill quay")
        seen.append(told(lambda: seen.append(ledger.publish(after))))
    return seen


@settings(max_examples=300)
@given(
    sequences,
    verdicts,
    st.booleans(),
    st.sampled_from([None, None, 0.0, 2.0]),
    st.sampled_from([0.0, 0.5]),
    st.integers(1, 6),
)
def test_at_once_and_one_by_one_give_the_same(given, answers, ticks, forget, step, block):
    """Deliveries, duplicates, the error and where it came, rows and histories; in any blocks."""
    how = {"ticks": ticks, "forget": forget, "step": step}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("routers.clock.hours_since", lambda epoch: 3.0)
        one_by_one = play(given, answers, at_once=False, **how)
        patch.setattr(intake, "BLOCK", block)
        patch.setattr(settling, "BLOCK", block)
        assert repr(play(given, answers, at_once=True, **how)) == repr(one_by_one)


def entry(entry_id, **more):
    return Entry(id=entry_id, decided=0, deadline=9, options=["x"], text="mill", **more)


def notice(notice_id, published=1.0, **more):
    return Notice(id=notice_id, published=published, text="mill", **more)


def test_what_came_before_a_refusal_stays_where_it_is_caught():
    with Ledger(router=Rarity(k=2)) as ledger:
        with ledger.batch(), pytest.raises(BadInput, match=r"n1.*with other content"):
            ledger.take([entry("d1"), notice("n1"), notice("n2"), notice("n1", 2.0), notice("n3")])
        assert [it.id for it in ledger.notices("d1")] == ["n1", "n2"]
        with ledger.batch(), pytest.raises(BadInput, match="must be open: it was decided"):
            ledger.decide_many([("d1", Verdict(choice="keep")), ("d1", Verdict(choice="switch"))])
        assert ledger.history("d1").record.outcome == "keep"


def test_outside_a_batch_a_refusal_undoes_it_all():
    with Ledger(router=Rarity(k=2)) as ledger:
        with pytest.raises(BadInput, match="JSON"):
            ledger.take([entry("d1"), notice("n1"), notice("n2", extra={"tag": float("nan")})])
        assert ledger.records() == []
        assert ledger.publish(notice("n1")) == []


def test_an_error_of_the_callers_own_stops_where_it_comes():
    def coming():
        yield entry("d1")
        yield notice("n1")
        raise ZeroDivisionError

    with Ledger(router=Rarity(k=2)) as ledger:
        with ledger.batch(), pytest.raises(ZeroDivisionError):
            ledger.take(coming())
        assert [it.id for it in ledger.notices("d1")] == ["n1"]


def test_rows_that_wait_are_seen_by_whatever_is_asked(tmp_path):
    """By the ledger's own questions at once, by other connections when they are committed."""
    path = tmp_path / "ledger.db"
    other = sqlite3.connect(path)
    with Ledger(path, router=Rarity(k=2)) as ledger:
        with ledger.batch():
            ledger.take([entry("d1"), notice("n1")])
            assert [it.entry.id for it in ledger.due(0.0, within=9.0)] == ["d1"]
            assert [it.id for it in ledger.notices("d1")] == ["n1"]
            assert other.execute("SELECT count(*) FROM notices").fetchone() == (0,)
            ledger.take([notice("n2")])
        assert other.execute("SELECT count(*) FROM notices").fetchone() == (2,)
        assert other.execute("SELECT count(*) FROM deliveries").fetchone() == (2,)
    other.close()


def test_a_thousand_deliveries_of_one_notice_are_written_in_pieces(monkeypatch):
    monkeypatch.setattr("routers.waiting.MOST", 7)
    with Ledger(router="broadcast") as ledger:
        ledger.open_many(entry(f"d{number}") for number in range(100))
        assert len(ledger.publish(notice("n1"))) == 100
        assert {record.received for record in ledger.records()} == {1}
