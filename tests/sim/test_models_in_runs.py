"""Models as judges of runs: asked together, each question once, and counted where invalid.

A stub server answers, by the question's own words and never by gold: nothing here measures a model.
"""

import hashlib
import json
from dataclasses import replace

import polars as pl
import pytest

from llm import make_judge
from llm.calls import Caller, Cassette
from llm.calls.stub import STUB, Stub
from routers.tokens import tokens
from sim.asking import Asking
from sim.columns import CALLS
from sim.questions import questions
from sim.runs import questions_of, router_named, run
from sim.streams import make_stream
from sim.study import Study, play
from theory import BadInput

ROUTERS = ["none", "bm25-text", "bm25-dossier", "broadcast", "related"]


def coin(asked):
    """Keep, switch or nonsense, by what was asked."""
    number = hashlib.sha256(str(asked.body["messages"]).encode()).digest()[0]
    if number < 100:
        return "I cannot tell."
    choice = "switch" if number % 2 else "keep"
    return json.dumps({"reason": "by a coin", "choice": choice})


@pytest.fixture
def stub():
    with Stub(answer=coin) as running:
        yield running


@pytest.fixture(scope="module")
def labelled():
    return make_stream("indirect", seed=5, decisions=32)


def judge(stub, **options):
    return make_judge("stub/coin", caller=Caller(environ=stub.environ, **options))


def test_questions_are_those_that_the_episodes_ask(stub, labelled):
    model = judge(stub)
    played = run(labelled, routers=ROUTERS, judges=[model], seed=5)
    asked = questions_of(labelled, routers=ROUTERS)
    digests = [model.request(*it).digest for it in asked]
    assert played.calls["question"].to_list() == digests


@pytest.mark.parametrize("asking", [Asking(lead=3), Asking(lead=3, service=1, slots=2)])
def test_questions_follow_leads_and_slots(stub, labelled, asking):
    played = run(labelled, routers=["broadcast"], judges=["rules"], asking=asking)
    router = router_named("broadcast", labelled.gold, k=3)
    asked = questions(labelled.stream, router, asking=asking)
    assert sorted(it.entry.id for it in asked) == sorted(played.calls["decision"])


def test_each_distinct_question_is_sent_once_whatever_the_routers_and_ks(stub, labelled):
    played = run(labelled, routers=ROUTERS, judges=[judge(stub)], ks=(1, 3))
    distinct = played.calls["question"].n_unique()
    first = [it for it in stub.seen if len(it.body["messages"]) == 2]
    assert len(first) == distinct == played.answers.height < played.calls.height
    repaired = len(stub.seen) - len(first)
    assert 0 < repaired == played.answers.filter(pl.col("attempts") > 1).height


def test_prepared_together_or_asked_one_by_one_a_run_is_the_same(stub, labelled):
    together = run(labelled, routers=ROUTERS, judges=[judge(stub)])
    single = run(labelled, routers=ROUTERS, judges=[judge(stub)], prepare=False)
    assert together.decisions.equals(single.decisions)
    same = [name for name in CALLS if name != "latency"]
    assert together.calls.select(same).equals(single.calls.select(same))


def test_a_replayed_run_is_the_recorded_one_to_the_byte(stub, labelled, tmp_path):
    path = tmp_path / "calls.jsonl"
    recorded = run(labelled, routers=ROUTERS, judges=[judge(stub, cassette=Cassette(path))])
    sent = len(stub.seen)
    replaying = Caller(environ={}, cassette=Cassette(path, mode="replay"))
    replayed = run(labelled, routers=ROUTERS, judges=[make_judge("stub/coin", caller=replaying)])
    assert len(stub.seen) == sent
    for name in ("decisions", "deliveries", "calls"):
        assert getattr(replayed, name).equals(getattr(recorded, name))
    assert replayed.answers.drop("replayed").equals(recorded.answers.drop("replayed"))
    assert replayed.answers["replayed"].all()
    assert not recorded.answers["replayed"].any()


def test_invalid_answers_are_kept_as_keep_counted_and_left_out_of_answered_rates(stub, labelled):
    played = run(labelled, routers=["broadcast"], judges=[judge(stub)])
    [row] = played.measures().iter_rows(named=True)
    bad = played.decisions.filter(pl.col("invalid").is_not_null())
    assert 0 < bad.height < played.decisions.height
    assert set(bad["choice"]) == {"keep"}
    assert set(bad["invalid"]) == {"malformed"}
    assert row["invalid"] == bad.height / row["called"]
    answered = played.decisions.filter(pl.col("invalid").is_null())
    assert row["answered_accuracy"] == pytest.approx(answered["right"].mean())
    assert row["accuracy"] == pytest.approx(played.decisions["right"].mean())
    assert played.answers["invalid"].drop_nulls().to_list() == ["malformed"] * bad.height


def test_answers_tell_what_was_sent_and_by_whom(stub, labelled):
    stub.refuses = frozenset({"temperature"})
    played = run(labelled, routers=["broadcast"], judges=[judge(stub)])
    frame = played.answers
    assert set(frame["judge"]) == {"stub/coin+decide"}
    assert set(frame["model"]) == {STUB}
    assert set(frame["temperature"]) == {0.0}
    assert frame["temperature_sent"].is_null().all()
    assert frame["cost"].is_null().all()
    assert (frame["input"] > frame["output"]).all()
    joined = played.calls.join(frame, on=["judge", "question"], how="left")
    assert joined["prompt"].is_null().sum() == 0


def test_judges_that_ask_no_model_have_no_answers(labelled):
    played = run(labelled, routers=["broadcast"], judges=["rules", "perfect"])
    assert played.answers is None
    assert played.measures()["invalid"].to_list() == [0.0, 0.0]
    assert played.calls["question"].is_null().all()


def test_models_are_never_handed_gold(stub, labelled):
    stream, _ = labelled
    marked = replace(
        stream,
        decisions=tuple(
            replace(entry, extra={"label": "UNMISTAKABLE"}) for entry in stream.decisions
        ),
        notices=tuple(
            replace(notice, extra={"relation": "UNMISTAKABLE"}) for notice in stream.notices
        ),
    )
    run(labelled._replace(stream=marked), routers=["broadcast"], judges=[judge(stub)])
    assert stub.seen
    assert "UNMISTAKABLE" not in str([it.body for it in stub.seen])


def test_a_model_is_named_like_any_judge(labelled, monkeypatch):
    monkeypatch.delenv("NOWHERE_BASE_URL", raising=False)
    with pytest.raises(BadInput, match="set NOWHERE_BASE_URL"):
        run(labelled, routers=["broadcast"], judges=["nowhere/model+extract"])
    with pytest.raises(BadInput, match="or a model: provider/model"):
        run(labelled, routers=["broadcast"], judges=["solomon"])


def study_of(**more):
    return Study(["direct", "indirect"], ["bm25-text", "related"], ["stub/coin"], **more)


def find(name, seed):
    return make_stream(name, seed=seed, decisions=16)


def test_a_study_names_a_model_with_its_mode_and_asks_each_question_once(stub, monkeypatch):
    monkeypatch.setenv("STUB_BASE_URL", stub.environ["STUB_BASE_URL"])
    study = study_of(ks=[1, 3])
    assert study.judges == ["stub/coin+decide"]
    played = play(study, find)
    asked = [it for it in stub.seen if len(it.body["messages"]) == 2]
    assert len(asked) == played.calls["question"].n_unique() == played.answers.height
    assert set(played.answers["question"]) == set(played.calls["question"])
    assert play(study, find, have=played).decisions.equals(played.decisions)


def test_a_study_takes_judges_that_are_ready(stub):
    ready = judge(stub)
    for name in ("direct", "indirect"):
        ready.prepare(questions_of(find(name, 0), routers=["bm25-text", "related"]))
    sent = len(stub.seen)
    played = play(study_of(), find, judges={"stub/coin+decide": ready})
    assert len(stub.seen) == sent > 0
    assert played.calls["question"].is_null().sum() == 0


def test_a_model_s_input_is_its_rendered_prompt_and_others_what_they_are_handed(stub, labelled):
    asked = judge(stub)
    played = run(labelled, routers=["bm25-text"], judges=[asked, "rules"])
    entries = {entry.id: entry for entry in labelled.stream.decisions}
    notices = {notice.id: notice for notice in labelled.stream.notices}
    read = {
        judged: dict(calls.select("decision", "input_tokens").rows())
        for (judged,), calls in played.calls.partition_by("judge", as_dict=True).items()
    }
    for decision, counted in read[asked.name].items():
        mine = (pl.col("decision") == decision, pl.col("judge") == "rules")
        assert played.decisions.filter(*mine)["input_tokens"].item() == read["rules"][decision]
        got = played.deliveries.filter(pl.col("decision") == decision)["notice"]
        prompt = asked.request(entries[decision], [notices[name] for name in got]).messages
        assert counted == len(tokens("\n".join(message.text for message in prompt)))
        assert counted > read["rules"][decision]
