"""While its judge is asked, an entry receives nothing more, and its verdict still counts."""

import pytest

from routers import Ledger
from theory import BadInput


def entry(entry_id, **fields):
    given = {"decided": 0, "deadline": 9, "options": ["Quay"], "text": "At the Quay."}
    return {"id": entry_id, **given, **fields}


def notice(notice_id, published):
    return {"id": notice_id, "published": published, "text": "The Quay is closed."}


@pytest.fixture
def ledger():
    with Ledger(router="name", k=1) as made:
        made.open(entry("d1"))
        made.publish(notice("n1", 1))
        yield made


def read(ledger, entry_id="d1"):
    return [found.id for found in ledger.notices(entry_id)]


def test_news_goes_past_it_to_the_next_in_line(ledger):
    ledger.open(entry("d2"))
    ledger.end_routing("d1")
    ledger.publish(notice("n2", 2))
    assert read(ledger) == ["n1"]
    assert read(ledger, "d2") == ["n2"]


def test_its_verdict_counts_up_to_the_deadline(ledger):
    ledger.end_routing("d1")
    ledger.publish(notice("n9", 9))
    assert ledger.decide("d1", {"choice": "switch"}).outcome == "switch"


def test_without_a_verdict_it_expires_and_it_can_be_closed(ledger):
    ledger.open(entry("d2"))
    for entry_id in ("d1", "d2"):
        ledger.end_routing(entry_id)
    assert ledger.close("d2").state == "closed"
    ledger.publish(notice("n10", 10))
    assert ledger.history("d1").record.outcome == "keep"


def test_it_is_asked_about_once(ledger):
    assert [record.entry.id for record in ledger.due(8, within=1)] == ["d1"]
    for _ in range(2):  # the second time changes nothing
        ledger.end_routing("d1")
        assert ledger.due(8, within=1) == []


def test_another_process_and_a_restart_know_of_it(tmp_path):
    path = tmp_path / "ledger.db"
    with Ledger(path, router="name") as one, Ledger(path) as other:
        one.open(entry("d1"))
        other.publish(notice("n1", 1))
        one.end_routing("d1")
        other.publish(notice("n2", 2))
        assert read(other) == ["n1"]
    with Ledger(path) as again:
        again.publish(notice("n3", 3))
        assert read(again) == ["n1"]


def test_an_entry_recorded_late_gets_what_it_would_have_got_in_time(ledger):
    """The first notice found the other entry open, the second did not."""
    ledger.end_routing("d1")
    ledger.publish(notice("n2", 2))
    ledger.open(entry("d2", decided=0.5))
    assert read(ledger, "d2") == ["n2"]
    assert read(ledger) == ["n1"]


@pytest.mark.parametrize("how", ["decide", "close", "expire", "unknown"])
def test_only_what_is_open_can_be_asked_about(ledger, how):
    if how == "decide":
        ledger.decide("d1", {"choice": "keep"})
    elif how == "close":
        ledger.close("d1")
    elif how == "expire":
        ledger.publish(notice("n10", 10))
    with pytest.raises(BadInput, match="entry"):
        ledger.end_routing("d2" if how == "unknown" else "d1")
