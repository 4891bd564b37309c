import sys
import tempfile
from dataclasses import replace

import numpy as np
import pytest
from by_hand import Recorder, entry, notice, stream
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_episode import plain_episode

from routers import Ledger, make_router
from routers.broadcast import Broadcast
from sim import Asking, episode
from sim.runs import judge_named, router_named
from sim.streams import STREAMS, indirect, make_stream
from theory import BadInput

module = sys.modules["sim.episode"]


def play(decisions, notices, judge=None, *, router="broadcast", **asking):
    judge = judge or Recorder()
    return episode(stream(decisions, notices), make_router(router), judge, asking=Asking(**asking))


def column(frame, name):
    return dict(zip(frame["decision"], frame[name], strict=True))


def frames(played):
    return played.decisions, played.deliveries, played.calls


def same(one, other):
    return all(a.equals(b) for a, b in zip(frames(one), frames(other), strict=True))


def test_news_counts_after_the_decision_up_to_the_deadline_itself():
    judge = Recorder()
    news = [notice(f"n{at}", float(at)) for at in range(12)]
    played = play([entry("d1", 3.0, 7.0), entry("d2", 6.0, 9.0)], news, judge)
    assert judge.read == {"d1": ["n4", "n5", "n6", "n7"], "d2": ["n7", "n8", "n9"]}
    assert column(played.decisions, "received") == {"d1": 4, "d2": 3}
    assert column(played.decisions, "choice") == {"d1": "switch", "d2": "switch"}
    assert played.deliveries["published"].to_list() == [4, 5, 6, 7, 7, 8, 9]


def test_no_news_is_no_call_and_keep():
    judge = Recorder()
    played = play([entry("d1", 0.0, 5.0)], [notice("n1", 6.0)], judge)
    assert judge.asked == []
    assert played.calls.is_empty()
    assert played.deliveries.is_empty()
    row = played.decisions.row(0, named=True)
    assert (row["choice"], row["called"], row["verdict"], row["missed"]) == (
        "keep",
        False,
        None,
        False,
    )
    assert row["input_tokens"] == 0


def test_the_window_ends_where_the_judge_is_asked_and_leaves_its_place_to_others():
    judge = Recorder()
    decisions = [entry("d1", 0.0, 10.0), entry("d2", 0.0, 20.0, options=("Hall d1", "Barn"))]
    news = [notice("n7", 7.0, "Hall d1 shuts."), notice("n9", 9.0, "Hall d1 shuts again.")]
    played = episode(
        stream(decisions, news), make_router("name", k=1), judge, asking=Asking(lead=2.5)
    )
    assert judge.read == {"d1": ["n7"], "d2": ["n9"]}
    assert column(played.decisions, "asked") == {"d1": 7.5, "d2": 17.5}
    # The control: asked at the deadline, the first decision takes both.
    judge = Recorder()
    episode(stream(decisions, news), make_router("name", k=1), judge)
    assert judge.read == {"d1": ["n7", "n9"]}


def test_a_lead_longer_than_the_window_asks_at_the_decision_of_nothing():
    judge = Recorder()
    played = play([entry("d1", 5.0, 8.0)], [notice("n1", 5.0), notice("n2", 6.0)], judge, lead=10.0)
    assert judge.asked == []
    assert column(played.decisions, "asked") == {"d1": 5.0}


def test_a_verdict_after_the_deadline_is_missed_and_the_choice_stands():
    news = [notice("n1", 1.0)]
    late = play([entry("d1", 0.0, 10.0)], news, lead=1.0, service=1.5)
    assert late.decisions.row(0, named=True) | {"choice": "keep", "missed": True} == (
        late.decisions.row(0, named=True)
    )
    assert late.calls.row(0, named=True)["counted"] is False
    assert late.calls.row(0, named=True)["finished"] == pytest.approx(10.5)
    in_time = play([entry("d1", 0.0, 10.0)], news, lead=1.5, service=1.0)
    assert column(in_time.decisions, "choice") == {"d1": "switch"}
    assert column(in_time.decisions, "missed") == {"d1": False}


@given(st.floats(0.0, 5_000.0), st.floats(0.1, 100.0), st.floats(0.01, 50.0), st.booleans())
def test_a_call_that_ends_at_the_deadline_itself_counts(decided, window, lead, limited):
    """However the clock's additions are rounded."""
    lead = min(lead, window / 2)
    deadline = decided + window
    played = play(
        [entry("d1", decided, deadline)],
        [notice("n1", decided + window / 4)],
        lead=lead,
        service=lead,
        slots=1 if limited else None,
    )
    assert column(played.decisions, "missed") == {"d1": False}
    assert column(played.decisions, "choice") == {"d1": "switch"}


def test_calls_wait_for_a_slot_in_the_order_of_asking_and_are_not_made_too_late():
    decisions = [entry(f"d{number}", 0.0, 10.0 + number / 10) for number in range(4)]
    judge = Recorder()
    played = play(decisions, [notice("n1", 1.0)], judge, lead=3.0, service=2.0, slots=1)
    calls = played.calls
    assert calls["decision"].to_list() == ["d0", "d1"]
    assert calls["started"].to_list() == pytest.approx([7.0, 9.0])
    assert calls["counted"].to_list() == [True, False]
    assert column(played.decisions, "called") == {"d0": True, "d1": True, "d2": False, "d3": False}
    assert column(played.decisions, "missed") == {"d0": False, "d1": True, "d2": True, "d3": True}
    free = play(decisions, [notice("n1", 1.0)], lead=3.0, service=2.0)
    assert not free.decisions["missed"].any()


def test_neither_router_nor_judge_is_handed_unknown_fields():
    handed = []

    class Watching(Broadcast):
        def open(self, entry):
            handed.append(entry)
            super().open(entry)

        def route(self, notice):
            handed.append(notice)
            return super().route(notice)

    judge = Recorder()
    decisions = [entry("d1", 0.0, 5.0, extra={"label": 1})]
    news = [notice("n1", 1.0, extra={"relation": "decisive"})]
    episode(stream(decisions, news), Watching(), judge)
    [(asked, read)] = judge.asked
    assert len(handed) == 2
    assert all(item.extra == {} for item in [*handed, asked, *read])
    assert asked == decisions[0].public()


def test_what_the_judge_reads_is_what_the_ledger_keeps():
    made = indirect(np.random.default_rng(0), decisions=32)
    judge = Recorder("keep")
    episode(made.stream, make_router("name"), judge)
    ledger = Ledger(router=make_router("name"), epoch=made.stream.epoch)
    with ledger:
        ledger.open_many(made.stream.decisions)
        ledger.publish_many(made.stream.notices)
        for entry_id, read in judge.read.items():
            assert [kept.id for kept in ledger.notices(entry_id)] == read
    assert len(judge.read) > 10


times = st.integers(0, 60).map(lambda quarter: quarter / 4)


@st.composite
def streams(draw):
    decided = sorted(draw(st.lists(times, min_size=1, max_size=6)))
    decisions = [
        entry(f"d{number}", at, at + draw(times) + 0.25) for number, at in enumerate(decided)
    ]
    published = sorted(draw(st.lists(times.map(lambda at: at * 1.5), max_size=12)))
    return stream(decisions, [notice(f"n{number:02}", at) for number, at in enumerate(published)])


@given(streams(), times)
def test_deliveries_are_those_of_every_window(small, lead):
    """Against the definition, in two lines: everyone open gets everything."""
    played = episode(small, make_router("broadcast"), Recorder(), asking=Asking(lead=lead))
    expected = {
        (each.id, item.id)
        for each in small.decisions
        for item in small.notices
        if each.decided < item.published <= max(each.decided, each.deadline - lead)
    }
    assert set(played.deliveries.select("decision", "notice").iter_rows()) == expected


@pytest.mark.parametrize("lead", [0.0, 3.0])
@pytest.mark.parametrize("router", ["none", "name", "bm25-dossier", "related"])
@pytest.mark.parametrize("name", list(STREAMS))
def test_every_stream_goes_as_it_does_in_the_plain_episode(name, router, lead, monkeypatch):
    """In stretches that end anywhere, with times as the streams have them, ties included."""
    monkeypatch.setattr(module, "BATCH", 37)
    made = make_stream(name, seed=3, decisions=48)

    def judge():
        return judge_named("perfect", made.gold, seed=0)

    def make():
        return router_named(router, made.gold, k=3)

    played = episode(made.stream, make(), judge(), asking=Asking(lead=lead))
    plain = plain_episode(made.stream, make, judge(), lead=lead)
    assert [frame.rows() for frame in frames(played)] == list(plain)
    assert played.calls.is_empty() == (router == "none")


@settings(max_examples=25)
@given(streams(), times, st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([None, 1, 2]))
def test_batched_and_one_by_one_give_the_same_frames(small, lead, service, slots):
    asking = Asking(lead=lead, service=service, slots=slots)
    one, other = (
        episode(small, make_router("broadcast"), Recorder(), asking=asking, batched=batched)
        for batched in (True, False)
    )
    assert same(one, other)


@pytest.mark.parametrize("router", ["none", "name", "broadcast"])
def test_batches_forgetting_and_a_file_change_nothing(router, monkeypatch, tmp_path):
    made = indirect(np.random.default_rng(1), decisions=32).stream

    def play_it():
        return episode(made, make_router(router), Recorder("keep"), asking=Asking(lead=3.0))

    plain = play_it()
    monkeypatch.setattr(module, "BATCH", 7)
    monkeypatch.setattr(module, "FORGET", 10)
    monkeypatch.setattr(module, "LARGE", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert same(play_it(), plain)
    assert list(tmp_path.iterdir()) == []


def test_the_ledger_forgets_what_waits_in_no_decision(monkeypatch):
    """A thousand notices that reach nobody, and never more than a batch or two in the ledger."""
    kept = []
    forget = Ledger.forget

    def counting(self, before):
        dropped = forget(self, before)
        kept.append(self._store._db.execute("SELECT count(*) FROM notices").fetchone()[0])
        return dropped

    monkeypatch.setattr(Ledger, "forget", counting)
    monkeypatch.setattr(module, "FORGET", 50)
    monkeypatch.setattr(module, "BATCH", 20)
    news = [notice(f"n{number:04}", number / 10) for number in range(1_000)]
    play([entry("d1", 0.0, 200.0)], news, router="none")
    assert len(kept) > 10
    assert max(kept) < 50


def test_a_switch_that_waits_for_a_persons_word_expires_to_keep():
    played = play([entry("d1", 0.0, 5.0, confirm=True)], [notice("n1", 1.0)])
    row = played.decisions.row(0, named=True)
    assert (row["verdict"], row["choice"], row["missed"]) == ("switch", "keep", False)


def test_frames_have_their_columns_even_when_nothing_happens():
    played = play([], [])
    assert [frame.height for frame in frames(played)] == [0, 0, 0]
    assert played.decisions.columns[0] == played.calls.columns[0] == "decision"


def test_the_judges_own_figures_are_kept_and_the_tokens_it_reads_are_counted():
    played = play(
        [entry("d1", 0.0, 5.0, background=("Two words.",))], [notice("n1", 1.0, "One, two three!")]
    )
    call = played.calls.row(0, named=True)
    assert (call["tokens"], call["latency"], call["reason"]) == (7, 0.5, "so")
    assert call["input_tokens"] == 6 + 2 + 3
    assert column(played.decisions, "input_tokens") == {"d1": 11}


def test_an_error_leaves_no_file_behind(monkeypatch, tmp_path):
    class Failing(Recorder):
        def judge(self, entry, notices):
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "LARGE", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        play([entry("d1", 0.0, 5.0)], [notice("n1", 1.0)], Failing())
    assert list(tmp_path.iterdir()) == []


def test_progress_counts_the_notices():
    steps = []
    news = [notice(f"n{number}", float(number)) for number in range(5)]
    episode(
        stream([entry("d1", 0.0, 9.0)], news),
        make_router("none"),
        Recorder(),
        advance=steps.append,
    )
    assert sum(steps) == 5


@pytest.mark.parametrize(
    ("field", "value"), [("lead", -1.0), ("lead", float("nan")), ("service", -0.5), ("slots", 0)]
)
def test_what_cannot_be_asked_is_refused(field, value):
    with pytest.raises(BadInput, match=field):
        Asking(**{field: value})


def test_the_same_stream_gives_the_same_frames_with_notices_read_one_by_one():
    class Lazy:
        def __init__(self, notices):
            self.notices = notices

        def __len__(self):
            return len(self.notices)

        def __iter__(self):
            return (item for item in self.notices)

        def __contains__(self, item):
            return item in self.notices

    made = indirect(np.random.default_rng(2), decisions=16).stream
    lazy = replace(made, notices=Lazy(made.notices))
    one, other = (episode(each, make_router("name"), Recorder()) for each in (made, lazy))
    assert same(one, other)
