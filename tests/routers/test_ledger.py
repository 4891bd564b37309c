"""The ledger's rules: who receives what, when a verdict counts, what is refused."""

import math
import threading
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from test_conformance import Rarity

from routers import Entry, Ledger, Notice, Verdict, make_router
from theory.errors import BadInput


def entry(entry_id="d1", decided=0.0, deadline=10.0, option="Old Mill", **more):
    return {
        "id": entry_id,
        "decided": decided,
        "deadline": deadline,
        "options": [option],
        "text": f"Meet at {option}",
        **more,
    }


def notice(notice_id="n1", published=5.0, text="The Old Mill is closed"):
    return {"id": notice_id, "published": published, "text": text}


def reached(deliveries):
    return [it.entry for it in deliveries]


def received(ledger, entry_id):
    return [it.id for it in ledger.notices(entry_id)]


@pytest.fixture
def ledger():
    with Ledger() as made:
        yield made


@pytest.mark.parametrize(
    ("published", "reaches"),
    [(-1.0, False), (0.0, False), (1e-9, True), (10.0, True), (10 + 1e-9, False)],
)
def test_a_notice_reaches_an_entry_after_its_decision_up_to_its_deadline(
    ledger, published, reaches
):
    ledger.open(entry())
    assert reached(ledger.publish(notice(published=published))) == (["d1"] if reaches else [])


def test_a_notice_too_early_or_late_for_every_entry_is_stored_and_waits(ledger):
    assert ledger.publish(notice("early", 1.0)) == []
    assert ledger.publish(notice("late", 50.0)) == []
    assert reached(ledger.open(entry("d1", decided=40.0, deadline=60.0))) == ["d1"]
    assert received(ledger, "d1") == ["late"]


def test_notices_come_in_order_of_publication_however_they_came_in(ledger):
    ledger.open(entry())
    for name, published in [("c", 3.0), ("a", 1.0), ("b2", 2.0), ("b1", 2.0)]:
        ledger.publish(notice(name, published))
    assert received(ledger, "d1") == ["a", "b1", "b2", "c"]


def test_at_most_k_and_ties_by_id():
    with Ledger(k=2) as ledger:
        for name in ("d3", "d1", "d2"):
            ledger.open(entry(name))
        assert reached(ledger.publish(notice())) == ["d1", "d2"]


@pytest.mark.parametrize("end", ["decided", "closed"])
def test_an_entry_that_has_ended_is_not_reached_and_takes_no_place(end):
    with Ledger(k=1) as ledger:
        ledger.open(entry("d1"))
        ledger.open(entry("d2"))
        if end == "decided":
            ledger.decide("d1", {"choice": "keep"})
        else:
            ledger.close("d1")
        assert reached(ledger.publish(notice())) == ["d2"]
        # Neither does a notice that was published before it ended and comes in after.
        assert reached(ledger.publish(notice("n2", 0.0 + 1e-6))) == ["d2"]


def test_an_expired_entry_takes_no_place():
    with Ledger(k=1) as ledger:
        ledger.open(entry("d1", deadline=3.0))
        ledger.open(entry("d2"))
        assert reached(ledger.publish(notice("n1", 4.0))) == ["d2"]
        assert reached(ledger.publish(notice("n2", 2.0))) == ["d2"], "d1 expired before it came in"


def test_a_late_notice_is_routed_among_the_entries_of_its_own_time(ledger):
    ledger.open(entry("d1", decided=0.0))
    ledger.publish(notice("n1", 6.0))
    ledger.open(entry("d2", decided=6.0, deadline=20.0))
    assert reached(ledger.publish(notice("n2", 5.0))) == ["d1"]
    assert reached(ledger.publish(notice("n3", 6.5))) == ["d1", "d2"]


def test_a_late_entry_receives_what_it_would_have_received_in_time():
    """It competes with those that were open then, also with those that have ended since."""
    for late in (False, True):
        with Ledger(k=1) as ledger:
            ledger.open(entry("d1", deadline=4.0))
            if not late:
                ledger.open(entry("d2"))
            ledger.publish(notice("n1", 2.0))  # d1 takes the place
            ledger.publish(notice("n2", 4.5))  # d1 has expired
            if late:
                assert reached(ledger.open(entry("d2"))) == ["d2"]
            assert received(ledger, "d2") == ["n2"]
            assert received(ledger, "d1") == ["n1"]


def test_a_late_entry_does_not_compete_with_what_had_ended_when_a_notice_came_in():
    now = [0.0]
    with Ledger(k=1, clock=lambda: now[0]) as ledger:
        ledger.open(entry("d1", deadline=4.0))
        ledger.open(entry("d2", deadline=20.0, confirm=True))
        ledger.publish(notice("n1", 2.0, "nothing of note"))
        now[0] = 5.0  # d1 has expired
        ledger.decide("d2", {"choice": "switch"})  # and d2 was answered
        ledger.publish(notice("n2", 3.0))
        ledger.close("d2")
        assert reached(ledger.open(entry("d3", decided=1.0, deadline=20.0))) == ["d3"]
        assert received(ledger, "d3") == ["n2"]


def test_a_clock_may_go_back():
    now = [5.0]
    with Ledger(clock=lambda: now[0]) as ledger:
        ledger.publish(notice("n1", 5.0))
        now[0] = 1.0
        ledger.open(entry("d1", deadline=3.0))
        now[0] = 5.0
        assert reached(ledger.publish(notice("n2", 2.0))) == [], "d1 has expired by now"
        now[0] = 1.0
        assert reached(ledger.publish(notice("n3", 1.0))) == ["d1"]
        now[0] = 2.0
        assert reached(ledger.publish(notice("n4", 2.0))) == ["d1"]
        assert ledger.publish(notice("n5", 90.0)) == [], "published in time to come"
        assert reached(ledger.publish(notice("n6", 2.5))) == ["d1"]


def test_what_was_delivered_stays_when_a_better_entry_is_recorded_late():
    with Ledger(k=1) as ledger:
        ledger.open(entry("d2"))
        ledger.publish(notice("n1", 2.0))
        assert reached(ledger.open(entry("d1", decided=1.0))) == ["d1"]
        assert (received(ledger, "d1"), received(ledger, "d2")) == (["n1"], ["n1"])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("make", [lambda: make_router("name", k=2), lambda: Rarity(k=2)])
def test_recorded_in_any_order_an_entry_of_a_set_receives_what_it_would_have_in_time(make, seed):
    """One late entry in a random history, also where scores depend on all that is open."""
    rng = np.random.default_rng(seed)
    words = ["mill", "quay", "line", "hall"]
    entries = [
        entry(f"d{i}", float(start), start + float(rng.integers(3, 9)), str(rng.choice(words)))
        for i, start in enumerate(rng.integers(0, 10, size=8))
    ]
    notices = [
        notice(f"n{i}", float(at), " ".join(rng.choice(words, 2)))
        for i, at in enumerate(rng.integers(0, 20, size=20))
    ]
    late = entries[int(rng.integers(8))]
    until = late["deadline"]
    history = sorted(
        [it for it in entries + notices if it.get("decided", it.get("published")) <= until],
        key=lambda it: it.get("decided", it.get("published")),
    )
    with Ledger(router=make()) as in_time, Ledger(router=make()) as caught_up:
        for item in history:
            for each in (in_time, caught_up):
                if each is in_time or item is not late:
                    (each.open if "options" in item else each.publish)(item)
        caught_up.open(late)
        found = [it.history(late["id"]).received for it in (in_time, caught_up)]
        assert found[0] == found[1]


def test_identical_duplicates_are_ignored_and_listed_with_why(ledger):
    assert ledger.open_many([entry()]).ignored == []
    again = ledger.open_many([entry()])
    assert (again.deliveries, again.ignored) == (
        [],
        [("d1", "recorded before, with the same content")],
    )
    ledger.publish(notice())
    assert ledger.publish_many([notice(), notice("n2")]).ignored == [
        ("n1", "recorded before, with the same content")
    ]
    # However it is written, and even where the deadline is past by now.
    ledger.publish(notice("n3", 99.0))
    assert ledger.open(dict(reversed(entry().items())) | {"decided": 0, "confirm": False}) == []


def test_the_same_id_with_other_content_is_refused(ledger):
    ledger.open(entry())
    ledger.publish(notice())
    for refused in (
        lambda: ledger.open(entry(option="Quay")),
        lambda: ledger.open(entry() | {"tag": 1}),
        lambda: ledger.publish(notice(text="other")),
        lambda: ledger.publish(notice(published=5.5)),
    ):
        with pytest.raises(BadInput, match=r"id\(=..\) must be new: .* with other content"):
            refused()
    assert len(ledger.records()) == 1
    assert received(ledger, "d1") == ["n1"]


def test_a_deadline_already_past_is_refused(ledger):
    ledger.publish(notice(published=11.0))
    with pytest.raises(BadInput, match=r"deadline\(=10\) must not be past: it is 11 now"):
        ledger.open(entry())
    assert ledger.open(entry(deadline=11.0)) != []


def test_a_batch_is_taken_whole_or_not_at_all(ledger):
    ledger.open(entry())
    with pytest.raises(BadInput, match="text"):
        ledger.publish_many([notice("n1"), notice("n2", text=" ")])
    with pytest.raises(BadInput, match="id"):
        ledger.publish_many([notice("n1"), notice("n1", text="other")])
    with pytest.raises(BadInput, match="deadline"):
        ledger.open_many([entry("d2"), entry("d3", deadline=-1.0, decided=-2.0)])
    assert ledger.records("open")[0].received == 0
    assert [it.entry.id for it in ledger.records()] == ["d1"]
    assert reached(ledger.publish(notice("n1", text="Old Mill again"))) == ["d1"]


def test_an_exception_undoes_a_batch_and_the_index_with_it(ledger):
    ledger.open(entry("d1"))
    ledger.publish(notice("n1", 1.0))

    def fail():
        with ledger.batch():
            ledger.open(entry("d2"))
            assert reached(ledger.publish(notice("n2", 2.0))) == ["d1", "d2"]
            ledger.decide("d1", {"choice": "keep"})
            assert reached(ledger.publish(notice("n3", 3.0))) == ["d2"]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [(it.entry.id, it.state, it.received) for it in ledger.records()] == [("d1", "open", 1)]
    assert reached(ledger.publish(notice("n2", 2.0))) == ["d1"]


def test_a_refusal_may_be_caught_within_a_batch(ledger):
    with ledger.batch():
        ledger.open(entry("d1"))
        with pytest.raises(BadInput):
            ledger.open(entry("d1", option="Quay"))
        ledger.publish(notice())
    assert received(ledger, "d1") == ["n1"]


def test_due_lists_open_entries_with_a_deadline_from_now_on_soonest_first(ledger):
    for name, deadline in [("d1", 7.0), ("d2", 5.0), ("d3", 5.0), ("d4", 6.0), ("d5", 4.0)]:
        ledger.open(entry(name, deadline=deadline))
    ledger.publish(notice(published=5.0))
    ledger.decide("d4", {"choice": "keep"})

    def due(**asked):
        return [it.entry.id for it in ledger.due(**asked)]

    assert due() == ["d2", "d3"]
    assert due(within=2.0) == ["d2", "d3", "d1"]
    assert due(within=math.inf) == ["d2", "d3", "d1"]
    assert due(now=4.0) == ["d5"]
    assert due(now=8.0, within=9.0) == []
    for wrong in (-1.0, math.nan):
        with pytest.raises(BadInput, match=r"within.* must be >= 0 hours"):
            ledger.due(within=wrong)


def test_a_verdict_at_the_deadline_counts_and_after_it_does_not():
    now = [0.0]
    with Ledger(clock=lambda: now[0]) as ledger:
        for name in ("d1", "d2"):
            ledger.open(entry(name))
        now[0] = 10.0
        assert ledger.decide("d1", Verdict(choice="switch")).outcome == "switch"
        now[0] = 10.0 + 1e-9
        with pytest.raises(BadInput, match=r"entry\(=d2\) must be open: it expired to keep"):
            ledger.decide("d2", Verdict(choice="switch"))
        records = {it.entry.id: (it.state, it.outcome) for it in ledger.records()}
        assert records == {"d1": ("decided", "switch"), "d2": ("expired", "keep")}


def test_an_entry_whose_judge_is_asked_receives_nothing_more_and_may_still_be_decided(ledger):
    ledger.open(entry("d1"))
    ledger.publish(notice("n1", 1.0))
    ledger.end_routing("d1")
    assert ledger.publish(notice("n2", 2.0)) == []
    assert ledger.due(within=math.inf) == [], "nobody need be asked again"
    assert ledger.history("d1").record.state == "open"
    assert ledger.decide("d1", {"choice": "switch"}).outcome == "switch"
    assert received(ledger, "d1") == ["n1"]
    with pytest.raises(BadInput, match="must be open: it was decided"):
        ledger.end_routing("d1")


def test_deciding_twice_is_refused(ledger):
    ledger.open(entry())
    ledger.decide("d1", {"choice": "keep"})
    with pytest.raises(BadInput, match=r"must be open: it was decided \(keep\) at 0"):
        ledger.decide("d1", {"choice": "keep"})


def test_a_switch_that_needs_a_persons_word_waits_for_it():
    now = [0.0]
    with Ledger(clock=lambda: now[0]) as ledger:
        for name in ("d1", "d2", "d3", "d4"):
            ledger.open(entry(name, confirm=True))
        record = ledger.decide("d1", {"choice": "switch"})
        assert (record.state, record.outcome) == ("waiting", None)
        assert ledger.decide("d2", {"choice": "keep"}).state == "decided", "a keep needs no word"
        ledger.decide("d3", {"choice": "switch"})
        with pytest.raises(BadInput, match=r"must be waiting: it is open"):
            ledger.confirm("d4")
        with pytest.raises(BadInput, match=r"must be open: it waits for a person's word"):
            ledger.decide("d1", {"choice": "keep"})
        assert reached(ledger.publish(notice(published=1.0))) == ["d4"], "d1 was answered"
        now[0] = 10.0
        record = ledger.confirm("d1")
        assert (record.state, record.outcome, record.confirmed_at) == ("decided", "switch", 10.0)
        now[0] = 10.5
        with pytest.raises(BadInput, match=r"must be waiting: it expired to keep"):
            ledger.confirm("d3")
        record = ledger.history("d3").record
        assert (record.state, record.outcome, record.verdict.choice) == (
            "expired",
            "keep",
            "switch",
        )


def test_closing_withdraws_an_open_or_waiting_entry_once(ledger):
    ledger.open(entry("d1"))
    ledger.open(entry("d2", confirm=True))
    ledger.open(entry("d3"))
    ledger.decide("d2", {"choice": "switch"})
    ledger.decide("d3", {"choice": "keep"})
    for name in ("d1", "d2"):
        record = ledger.close(name)
        assert (record.state, record.outcome) == ("closed", None)
        with pytest.raises(BadInput, match=r"must be open or waiting: it was closed at 0"):
            ledger.close(name)
    with pytest.raises(BadInput, match=r"it was decided \(keep\)"):
        ledger.close("d3")
    with pytest.raises(BadInput, match=r"must be waiting: it was closed"):
        ledger.confirm("d2")


@pytest.mark.parametrize("unknown", ["d2", "", "\0", 3, None])
def test_unknown_ids_are_refused(ledger, unknown):
    ledger.open(entry())
    for ask in (ledger.close, ledger.confirm, ledger.history, ledger.notices):
        with pytest.raises(BadInput, match=r"entry.* must be the id of an entry in this ledger"):
            ask(unknown)
    with pytest.raises(BadInput, match=r"entry.* must be the id of an entry in this ledger"):
        ledger.decide(unknown, {"choice": "keep"})


def test_the_history_of_an_entry_holds_all_that_happened_to_it():
    now = [0.0]
    with Ledger(router="name", clock=lambda: now[0]) as ledger:
        given = entry(confirm=True, tag="x")
        ledger.open(given)
        ledger.publish(notice("n2", 2.0) | {"source": "city"})
        ledger.publish(notice("n1", 1.0))
        now[0] = 3.0
        verdict = {
            "choice": "switch",
            "reason": "closed",
            "tokens": 7,
            "latency": 1.5,
            "model": "m",
        }
        ledger.decide("d1", verdict)
        now[0] = 4.0
        ledger.confirm("d1")
        history = ledger.history("d1").to_json()
        assert history["entry"].items() >= given.items()
        assert history["verdict"] == verdict
        assert history["events"] == [
            {"event": "opened", "at": 0.0},
            {"event": "answered", "at": 3.0},
            {"event": "confirmed", "at": 4.0},
        ]
        assert [(it["notice"]["id"], it["score"]) for it in history["notices"]] == [
            ("n1", 1.0),
            ("n2", 1.0),
        ]
        assert history["notices"][1]["notice"]["source"] == "city"
        assert (history["state"], history["outcome"], history["received"]) == (
            "decided",
            "switch",
            2,
        )


def test_one_kind_of_time_in_each_ledger(ledger):
    ledger.open(entry())
    iso = {"published": "2026-05-04T09:00Z"}
    with pytest.raises(BadInput, match=r"published\(=2026-05-04T09:00Z\) must be hours, as"):
        ledger.publish(notice() | iso)
    with Ledger() as other:
        other.publish(notice() | iso)
        with pytest.raises(BadInput, match=r"decided\(=0\) must be ISO 8601, as"):
            other.open(entry())


def test_with_iso_times_now_is_the_wall_clock():
    start = datetime.now(UTC)
    soon, later = (start + timedelta(hours=hours) for hours in (0.5, 2))

    def iso(name, deadline):
        return entry(name) | {"decided": start.isoformat(), "deadline": deadline.isoformat()}

    with Ledger(epoch="2026-01-01T00:00+01:00") as ledger:
        ledger.open_many([iso("d1", soon), iso("d2", later)])
        assert [it.entry.id for it in ledger.due(within=1)] == ["d1"]
        assert ledger.due(within=1)[0].to_json()["entry"]["deadline"] == soon.isoformat()
        assert ledger.due(now=soon.isoformat())[0].entry.id == "d1"
        hours = (datetime.now(UTC) - datetime(2025, 12, 31, 23, tzinfo=UTC)) / timedelta(hours=1)
        assert ledger.now() == pytest.approx(hours, abs=1 / 60)
        past = (start - timedelta(hours=1)).isoformat()
        with pytest.raises(BadInput, match=r"deadline.* must not be past: it is 20.*Z now"):
            ledger.open(iso("d3", start - timedelta(minutes=1)) | {"decided": past})


def test_a_clock_may_tell_iso_times_and_runs_a_simulation():
    with Ledger(clock=lambda: "1970-01-01T05:00Z") as ledger:
        assert ledger.now() == 5.0
        with pytest.raises(BadInput, match=r"deadline\(=4\) must not be past: it is 5 now"):
            ledger.open(entry(deadline=4.0))
    for wrong in (None, float("nan"), "noon"):
        with Ledger(clock=lambda: wrong) as ledger, pytest.raises(BadInput, match="clock"):  # noqa: B023
            ledger.open(entry())


def test_the_epoch_travels_with_what_the_ledger_gives_back_and_must_be_its_own():
    epoch = datetime(2026, 5, 4, 9, tzinfo=UTC)
    with Ledger(epoch="2026-05-04T11:00+02:00") as ledger:
        ledger.open(entry())
        ledger.publish(Notice(epoch=epoch, **notice()))
        assert ledger.history("d1").record.entry.epoch == epoch
        assert ledger.notices("d1")[0].epoch == epoch
        with pytest.raises(BadInput, match="must be the ledger's epoch, 2026-05-04T09:00:00"):
            ledger.open(Entry(**entry("d2")))
    for wrong in ("2026-05-04T09:00", "soon", 5):
        with pytest.raises(BadInput, match=r"epoch.* must be ISO 8601 with an offset"):
            Ledger(epoch=wrong)


def test_a_file_keeps_router_k_and_epoch_and_refuses_others(tmp_path):
    file = tmp_path / "a.db"
    with Ledger(file, router="broadcast", k=5, epoch="2026-01-01T00:00Z") as ledger:
        ledger.open(entry(option="Quay"))
    with Ledger(file) as ledger:
        assert ledger.epoch == datetime(2026, 1, 1, tzinfo=UTC)
        assert reached(ledger.publish(notice())) == ["d1"], "it is still broadcast"
    with Ledger(file, router=make_router("broadcast", k=5), epoch="2026-01-01T01:00+01:00"):
        pass
    for wrong, says in (
        ({"router": "name"}, r"router\(=name\) must be broadcast, with which"),
        ({"k": 3}, r"k\(=3\) must be 5, with which"),
        ({"epoch": "1970-01-01T00:00Z"}, r"epoch.* must be 2026-01-01"),
        ({"router": make_router("name"), "k": 3}, r"router\(=name\) must be broadcast"),
        ({"router": make_router("name"), "k": 4}, r"k\(=4\) must be the router's, 3"),
    ):
        with pytest.raises(BadInput, match=says):
            Ledger(file, **wrong)


def test_unknown_routers_and_impossible_k_are_refused(tmp_path):
    for wrong in ({"router": "psychic"}, {"k": 0}, {"k": 1.5}, {"k": True}):
        with pytest.raises(
            BadInput, match=r"must be (one of none, broadcast, name|a whole number)"
        ):
            Ledger(tmp_path / "a.db", **wrong)


def test_a_ledger_of_an_unregistered_router_can_be_read_and_routes_once_it_is_given(tmp_path):
    file = tmp_path / "a.db"
    with Ledger(file, router=Rarity()) as ledger:
        ledger.open(entry())
    with Ledger(file) as ledger:
        assert [it.entry.id for it in ledger.records()] == ["d1"]
        with pytest.raises(BadInput, match=r"router\(=rarity\) must be one of"):
            ledger.publish(notice())
    with Ledger(file, router=Rarity()) as ledger:
        assert reached(ledger.publish(notice())) == ["d1"]


def test_forgetting_drops_old_notices_that_wait_in_no_entry(ledger):
    ledger.open(entry("d1", deadline=10.0))
    ledger.open(entry("d2", deadline=4.0, option="Quay"))
    ledger.publish(notice("n1", 2.0))
    ledger.publish(notice("n2", 3.0, "the Quay"))
    ledger.publish(notice("n3", 3.5, "nothing of note"))
    ledger.publish(notice("n4", 5.0, "nothing of note"))
    with pytest.raises(BadInput, match=r"before\(=6\) must not be after now, 5"):
        ledger.forget(6.0)
    assert ledger.forget(4.0) == 2
    assert (received(ledger, "d1"), received(ledger, "d2")) == (["n1"], [])
    with pytest.raises(BadInput, match=r"decided\(=3\) must be at or after 4: .* were dropped"):
        ledger.open(entry("d3", decided=3.0))
    with pytest.raises(BadInput, match=r"published\(=4\) must be after 4: .* were dropped"):
        ledger.publish(notice("n5", 4.0))
    ledger.open(entry("d4", decided=4.0, option="note"))
    assert received(ledger, "d4") == ["n4"]
    ledger.close("d1")
    assert ledger.forget(5.0) == 1, "n1 waited in d1; n4 still waits in d4"
    assert ledger.forget(1.0) == 0
    with pytest.raises(BadInput, match=r"must be at or after 5"):
        ledger.open(entry("d5", decided=4.5))


def test_a_long_run_that_forgets_needs_no_more_room_than_its_open_window(tmp_path):
    """Ten times the notices, the same file: measured in SQLite's pages."""
    pages = []
    for rounds in (20, 200):
        with Ledger(tmp_path / f"{rounds}.db") as ledger:
            for start in range(rounds):
                ledger.open(entry(f"d{start}", float(start), start + 1.5))
                ledger.publish_many(
                    notice(f"n{start}-{i}", start + (i + 1) / 100, f"{'x' * 500} Old Mill")
                    for i in range(50)
                )
                ledger.decide(f"d{start}", {"choice": "keep"})
                ledger.forget(float(start))
            count = ledger._store._db.execute("SELECT count(*) FROM notices").fetchone()[0]
            pages.append((count, ledger._store._db.execute("PRAGMA page_count").fetchone()[0]))
    assert pages[0][0] == pages[1][0] <= 150
    assert pages[1][1] < pages[0][1] + 200 * 1_000 / 4096, "entries are kept, notices are not"


def test_threads_may_share_a_ledger(tmp_path):
    with Ledger(tmp_path / "a.db") as ledger:
        ledger.open(entry(deadline=1e6))

        def publish(worker):
            for i in range(30):
                ledger.publish(notice(f"{worker}-{i}", 1.0 + i))

        workers = [threading.Thread(target=publish, args=(worker,)) for worker in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert ledger.history("d1").record.received == 120


def test_nothing_is_asked_of_an_empty_ledger(ledger):
    assert ledger.now() == -math.inf
    assert (ledger.due(), ledger.records(), ledger.publish_many([]), ledger.open_many([])) == (
        [],
        [],
        ([], []),
        ([], []),
    )
