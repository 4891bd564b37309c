"""The judge that asks a model: every oddity of an answer has one outcome, in both modes.

Nothing here is a measurement: the answers are written by the tests and a stub server sends them.
"""

import json
import re
from datetime import timedelta

import numpy as np
import pytest
from asking import caller

from llm import make_judge
from llm.calls import Caller, Cassette, Retry, Usage
from llm.calls.client import Reply
from llm.calls.stub import STUB, Stub, says, sends, status
from llm.conformance import check_judge
from llm.judge import NO_NEWS
from llm.model import ModelJudge
from llm.rules import Rules
from routers import Entry, Notice
from routers.reading.dossier import read_needs
from routers.reading.effects import blocks
from routers.reading.intervals import stated_intervals
from routers.reading.names import NameIndex
from theory import BadInput

ENTRY = Entry(
    id="d1",
    decided=0,
    deadline=48,
    action=108,  # noon on 5 January 1970
    activity_end=111,
    options=("Velmarin Hall", "Sorrin Barn"),
    text="The concert is at Velmarin Hall. It depends on the Tarn Line.",
    dependencies=("Tarn Line",),
    background=("Velmarin Hall is also known as the Old Granary.",),
)
NEWS = [
    Notice(id="n7", published=10.0, text="The Old Granary will be closed on 5 January 1970."),
    Notice(id="n9", published=11.0, text="The Tarn Line runs as usual tomorrow."),
]


@pytest.fixture
def stub():
    with Stub() as running:
        yield running


def judged(stub, *steps, mode="decide", notices=NEWS, **options):
    stub.script += steps
    judge = make_judge("stub/tiny", mode=mode, caller=caller(stub, **options))
    verdict = judge.judge(ENTRY, notices)
    [asked] = judge.asked
    return verdict, asked


SWITCH = '{"reason": "the hall is shut", "choice": "switch"}'

USABLE = {
    "plain": SWITCH,
    "fenced": f"```json\n{SWITCH}\n```",
    "prose around it": f"Having weighed it all: {SWITCH} That is my answer.",
    "thoughts before it": f'<think>{{"choice": "keep"}} hm</think>\n{SWITCH}',
    "braces in the prose": f"The set {{hall, line}} is needed. {SWITCH}",
    "capitals": SWITCH.replace("switch", "SWITCH"),
    "a space too many": SWITCH.replace('"switch"', '" Switch "'),
    "another order of fields": '{"choice": "switch", "reason": "the hall is shut"}',
    "braces in the reason": '{"reason": "the {hall} is shut", "choice": "switch"}',
}


@pytest.mark.parametrize("text", USABLE.values(), ids=USABLE)
def test_an_answer_that_can_be_read_in_one_way_is_used(stub, text):
    verdict, asked = judged(stub, says(text))
    assert verdict.choice == "switch"
    assert (asked.invalid, asked.repaired) == (None, False)
    assert verdict.extra["invalid"] is None
    assert len(stub.seen) == 1


KEEP = '{"reason": "fine", "choice": "keep"}'

MALFORMED = {
    "several objects": (f"{SWITCH} or else {KEEP}", "malformed"),
    "the same object twice": (f"{SWITCH}\n{SWITCH}", "malformed"),
    "no object": ("I would switch.", "malformed"),
    "an object cut short": ('{"reason": "the hall', "malformed"),
    "another choice": (SWITCH.replace("switch", "maybe"), "malformed"),
    "no choice": ('{"reason": "shut"}', "malformed"),
    "no reason": ('{"choice": "switch"}', "malformed"),
    "a field too many": ('{"reason": "a", "choice": "keep", "sure": 1}', "malformed"),
    "a field twice": ('{"reason": "a", "choice": "keep", "choice": "switch"}', "malformed"),
    "a number for a choice": ('{"reason": "a", "choice": 1}', "malformed"),
    "a list for a reason": ('{"reason": [], "choice": "keep"}', "malformed"),
    "a list around it": (f"[{SWITCH}, {KEEP}]", "malformed"),
    "NaN": ('{"reason": NaN, "choice": "keep"}', "malformed"),
    "nothing but braces": ("{" * 5_000, "malformed"),
    "deeply nested": ('{"a":' * 20_000, "malformed"),
    "empty": ("", "empty"),
    "blank": (" \n ", "empty"),
    "none at all": (None, "empty"),
    "nothing but thoughts": ("<think>so much to weigh</think>", "malformed"),
}


@pytest.mark.parametrize(("text", "kind"), MALFORMED.values(), ids=MALFORMED)
def test_any_other_answer_is_sent_back_once_and_then_invalid_and_kept(stub, text, kind):
    verdict, asked = judged(stub, says(text), says(text))
    assert verdict.choice == "keep"
    assert asked.invalid == verdict.extra["invalid"] == kind
    assert verdict.reason.startswith(f"invalid answer, {kind}: it ") or kind == "malformed"
    assert len(stub.seen) == len(asked.answers) == 2


@pytest.mark.parametrize(("text", "kind"), MALFORMED.values(), ids=MALFORMED)
def test_a_repaired_answer_counts_and_both_are_paid_for(stub, text, kind):
    verdict, asked = judged(stub, says(text), says(SWITCH))
    assert verdict.choice == "switch"
    assert asked.repaired
    assert asked.invalid is None
    assert verdict.tokens == sum(answer.tokens for answer in asked.answers)
    roles = [message["role"] for message in stub.seen[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert stub.seen[1].last.startswith("That answer cannot be used: it") or kind == "malformed"


def test_a_cut_off_answer_is_repaired_or_invalid(stub):
    short = says('{"reason": "the', finish_reason="length")
    verdict, asked = judged(stub, short, says(SWITCH))
    assert (verdict.choice, asked.repaired) == ("switch", True)
    stub.seen.clear()
    verdict, asked = judged(stub, short, short)
    assert (verdict.choice, asked.invalid) == ("keep", "cut off")


def test_an_answer_that_was_cut_off_is_not_used_even_if_it_is_whole(stub):
    _, asked = judged(stub, says(SWITCH, finish_reason="length"), says(KEEP))
    assert asked.repaired


REFUSALS = {
    "a refusal": says(None, refusal="I cannot help with that"),
    "a refusal with an answer": says(SWITCH, refusal="I had rather not"),
    "a content filter": says(None, finish_reason="content_filter"),
}


@pytest.mark.parametrize("step", REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_is_invalid_and_not_argued_with(stub, step):
    verdict, asked = judged(stub, step)
    assert (verdict.choice, asked.invalid) == ("keep", "refused")
    assert len(stub.seen) == 1


def test_anthropic_s_refusal_too(stub):
    stub.script.append(says("No.", stop_reason="refusal"))
    judge = make_judge("anthropic:claude-stub", caller=caller(stub))
    assert judge.judge(ENTRY, NEWS).extra["invalid"] == "refused"


def test_a_failed_call_is_invalid(stub):
    steps = [status(500, "down")] * 2
    verdict, asked = judged(stub, *steps, retry=Retry(retries=1))
    assert (verdict.choice, asked.invalid) == ("keep", "failed")
    assert verdict.reason == "invalid answer, failed: server error 500: down"
    assert verdict.tokens is None


def test_ten_megabytes_are_a_counted_invalid(stub):
    _, asked = judged(stub, sends(b"x" * 10_000_000))
    assert asked.invalid == "failed"


def test_a_repair_that_fails_is_invalid_and_what_was_paid_is_counted(stub):
    verdict, asked = judged(stub, says("hm"), status(400, "too long"))
    assert asked.invalid == "failed"
    assert verdict.tokens == asked.answers[0].tokens


def test_a_reason_is_made_printable_and_short(stub):
    reason = "so \x00\x1b[31m\nred\ud800 " + "long " * 500
    verdict, _ = judged(stub, says(json.dumps({"reason": reason, "choice": "switch"})))
    assert verdict.choice == "switch"
    assert verdict.reason.isprintable()
    assert len(verdict.reason) <= 500


def reading(number=1, **more):
    document = {"number": number, "concerns": True, "blocks": True, "start": None, "end": None}
    return document | more


def readings(*items):
    return says(json.dumps({"notices": list(items)}))


CALM = reading(2, concerns=False)


@pytest.mark.parametrize(
    ("first", "choice"),
    [
        ({"start": "1970-01-05", "end": "1970-01-05"}, "switch"),
        ({"start": "1970-01-05T12:00", "end": "1970-01-05T15:00"}, "switch"),
        ({"start": "1970-01-05T14:59", "end": "1970-01-05T18:00"}, "switch"),
        ({"start": "1970-01-05T15:00", "end": "1970-01-05T18:00"}, "keep"),
        ({"start": "1970-01-05T09:00", "end": "1970-01-05T12:00"}, "keep"),
        ({"start": "1970-01-05T09:00", "end": "1970-01-05T12:01"}, "switch"),
        ({"start": "1970-01-03", "end": "1970-01-04"}, "keep"),  # the last day included
        ({"start": "1970-01-03", "end": "1970-01-05"}, "switch"),
        ({"start": "1970-01-03", "end": "1970-01-05T00:00"}, "keep"),
        ({"start": "1970-01-04T22:00", "end": "1970-01-04T24:00"}, "keep"),
        ({"start": "1970-01-06", "end": None}, "keep"),
        ({"start": "1970-01-05T14:00", "end": None}, "switch"),
        ({"start": None, "end": "1970-01-04"}, "keep"),
        ({"start": None, "end": "1970-01-05"}, "switch"),
        ({"start": None, "end": None}, "switch"),
        ({"start": "", "end": "null"}, "switch"),
        ({"start": "1970-01-05T12:00:00Z", "end": "1970-01-05T13:00:00Z"}, "switch"),
        ({"start": "5 January 1970", "end": "5 January 1970"}, "switch"),
        ({"start": "1970-01-05", "end": "1970-01-05", "blocks": False}, "keep"),
        ({"start": "1970-01-05", "end": "1970-01-05", "concerns": False}, "keep"),
    ],
)
def test_intervals_that_the_model_wrote_down_are_compared_by_code(stub, first, choice):
    verdict, asked = judged(stub, readings(reading(**first), CALM), mode="extract")
    assert verdict.choice == choice
    assert asked.invalid is None
    assert ("n7 stops" in verdict.reason) == (choice == "switch")


BAD_READINGS = {
    "one missing": [reading(1)],
    "one too many": [reading(1), CALM, reading(3)],
    "one twice": [reading(1), reading(1)],
    "from nought": [reading(0), reading(1)],
    "no object": ["closed", CALM],
    "a field missing": [{"number": 1}, CALM],
    "a flag in words": [reading(blocks="yes"), CALM],
    "no date": [reading(start="soon"), CALM],
    "a day that is none": [reading(start="1970-02-31", end="1970-03-01"), CALM],
    "an end before the start": [reading(start="1970-01-06", end="1970-01-05"), CALM],
    "an essay for a date": [reading(start="from the fifth " * 9), CALM],
    "a number for a date": [reading(start=19700105), CALM],
}


@pytest.mark.parametrize("items", BAD_READINGS.values(), ids=BAD_READINGS)
def test_readings_of_the_wrong_form_are_sent_back_once_and_then_invalid(stub, items):
    verdict, asked = judged(stub, readings(*items), readings(*items), mode="extract")
    assert (verdict.choice, asked.invalid) == ("keep", "malformed")
    assert len(stub.seen) == 2
    stub.script.clear()
    verdict, asked = judged(stub, readings(*items), readings(reading(), CALM), mode="extract")
    assert (verdict.choice, asked.repaired) == ("switch", True)


def test_order_of_readings_does_not_matter(stub):
    first = reading(start="1970-01-05", end="1970-01-05")
    assert judged(stub, readings(CALM, first), mode="extract")[0].choice == "switch"


def as_a_model_would(entry, notices):
    """What a model without fault would write down: read by `rules`'s readers, as ISO dates."""
    needed = NameIndex()
    for name in read_needs(entry).needed:
        needed.add(name, name)
    return [
        {
            "number": number,
            "concerns": next(needed.find(notice.text), None) is not None,
            "blocks": blocks(notice.text),
            **dates(notice),
        }
        for number, notice in enumerate(notices, start=1)
    ]


def dates(notice):
    [interval] = stated_intervals(notice)
    found = {}
    for name, hours in interval._asdict().items():
        at = None if np.isinf(hours) else notice.epoch + timedelta(hours=hours)
        found[name] = None if at is None else at.isoformat(timespec="minutes")[:16]
    return found


class InProcess:
    """A client that answers by a function, without a server."""

    def __init__(self, answer):
        self.answer = answer

    def send(self, request, sent, *, new_limit):
        text = self.answer(request)
        return Reply(text, None, "stop", STUB, None, Usage(1, 1), 200)

    def close(self):
        pass


def in_process(answer):
    return Caller(environ={"STUB_BASE_URL": "http://h"}, client=lambda *_: InProcess(answer))


@pytest.mark.parametrize("seed", range(3))
def test_what_is_extracted_without_fault_is_decided_as_rules_do(seed):
    from sim.streams import make_stream

    stream, gold = make_stream("indirect", seed=seed)
    notices = {notice.id: notice for notice in stream.notices}
    known = {}
    asking = in_process(lambda request: json.dumps({"notices": known[request]}))
    judge = make_judge("stub/tiny", mode="extract", caller=asking)
    choices = []
    for entry in stream.decisions:
        news = [notices[concern.notice] for concern in gold.truths[entry.id].notices]
        known[judge.request(entry, news)] = as_a_model_would(entry, news)
        verdict = judge.judge(entry, news)
        assert verdict.extra["invalid"] is None
        assert verdict.choice == Rules().judge(entry, news).choice
        choices.append(verdict.choice)
    assert {"keep", "switch"} == set(choices)  # the control: both occur


def by_digest(request):
    """An answer that depends on the question and on nothing else."""
    switch = int(request.digest, 16) % 2
    if request.prompt.startswith("decide"):
        return KEEP if switch else SWITCH
    numbers = re.findall(r'notice number="(\d+)"', request.messages[-1].text)
    return json.dumps({"notices": [reading(int(it), blocks=bool(switch)) for it in numbers]})


@pytest.mark.parametrize("mode", ["decide", "extract"])
def test_the_judge_conforms(mode):
    def make():
        return make_judge("stub/tiny", mode=mode, caller=in_process(by_digest))

    check_judge(make, rng=np.random.default_rng(0))
    assert make().name == f"stub/tiny+{mode}"


def test_names_say_model_and_mode():
    assert make_judge("openai:gpt-5.1", caller=Caller()).name == "openai/gpt-5.1+decide"
    assert make_judge("openai/gpt-5.1+extract", caller=Caller()).name == "openai/gpt-5.1+extract"
    judge = make_judge("ollama:qwen3:8b", mode="extract", caller=Caller())
    assert isinstance(judge, ModelJudge)
    assert judge.name == "ollama/qwen3:8b+extract"
    assert not judge.simulated
    assert not judge.gold


@pytest.mark.parametrize(
    ("name", "mode", "says"),
    [
        ("solomon", None, "judge(=solomon) must be one of rules, or a model: provider/model"),
        ("openai/x", "guess", "mode(=guess) must be one of decide, extract"),
        ("openai/x+extract", "decide", "mode(=decide) must be extract, as the name"),
    ],
)
def test_other_names_are_refused(name, mode, says):
    with pytest.raises(BadInput) as error:
        make_judge(name, mode=mode)
    assert says in str(error.value)


def test_without_news_nobody_is_called(stub):
    judge = make_judge("stub/tiny", caller=caller(stub))
    assert judge.judge(ENTRY, []) == NO_NEWS
    judge.prepare([(ENTRY, [])])
    assert not stub.seen
    assert not judge.asked


def test_questions_prepared_are_sent_together_each_once(stub):
    stub.answer = lambda _: SWITCH
    judge = make_judge("stub/tiny", caller=caller(stub))
    told = []
    cases = [(ENTRY, NEWS), (ENTRY, NEWS[:1]), (ENTRY, NEWS), (ENTRY, [])]
    judge.prepare(cases, advance=told.append)
    assert len(stub.seen) == sum(told) == 2
    assert judge.judge(ENTRY, NEWS).choice == "switch"
    assert len(stub.seen) == 2


def test_a_judge_replays_without_key_and_server_repairs_too(stub, tmp_path):
    path = tmp_path / "calls.jsonl"
    stub.script += [says("hm"), says(SWITCH)]
    first = make_judge("stub/tiny", caller=caller(stub, cassette=Cassette(path)))
    recorded = first.judge(ENTRY, NEWS)
    replaying = Caller(environ={}, cassette=Cassette(path, mode="replay"))
    again = make_judge("stub/tiny", caller=replaying)
    assert again.judge(ENTRY, NEWS) == recorded
    prompts = [json.loads(line)["prompt"] for line in path.read_text().splitlines()]
    assert prompts == ["decide@1", "decide@1+repair@1"]
