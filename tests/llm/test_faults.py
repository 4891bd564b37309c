"""What servers can do wrong, over real HTTP against the stub: every fault has one outcome."""

import logging
import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from asking import caller, request

from llm.calls import Caller, Cassette, Limits, Retry
from llm.calls.bounded import MOST_BYTES
from llm.calls.caller import Ended
from llm.calls.stub import (
    STUB,
    Stub,
    closes_midway,
    dribbles,
    hangs,
    says,
    sends,
    status,
)

MODELS = ["stub/tiny", "anthropic/claude-stub"]
"""Over each of the two protocols."""


@pytest.fixture
def stub():
    with Stub(key="key-of-the-stub") as running:
        yield running


RETRIED = {
    "rate limit": status(429),
    "server error": status(500),
    "overloaded": status(529),
    "a page of HTML": sends(b"<html>Bad gateway</html>", kind="text/html"),
    "HTML with an error": sends(b"<html>Bad gateway</html>", code=502, kind="text/html"),
    "an empty body": sends(b""),
    "broken JSON": sends(b'{"choices": [{'),
    "JSON of something else": sends(b'{"status": "fine"}'),
    "JSON that is no object": sends(b"[1, 2]"),
    "closed midway": closes_midway,
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("step", RETRIED.values(), ids=RETRIED)
def test_a_passing_fault_is_retried_and_every_attempt_recorded(stub, step, model):
    stub.script += [step, step]
    slept = []
    answer = caller(stub, slept=slept).ask(request(model=model))
    assert answer.fault is None
    assert answer.text is not None
    assert [it.fault is None for it in answer.attempts] == [False, False, True]
    assert [it.waited for it in answer.attempts] == [0.0, *slept]
    assert len(stub.seen) == 3
    assert 0.25 <= slept[0] <= 0.5 <= slept[1] <= 1.0


@pytest.mark.parametrize("step", RETRIED.values(), ids=RETRIED)
def test_a_fault_that_stays_is_a_failed_call_and_not_a_guess(stub, step):
    stub.script += [step] * 4
    asking = caller(stub)
    answer = asking.ask(request())
    assert answer.text is None
    assert answer.fault
    assert len(stub.seen) == len(answer.attempts) == 4
    assert asking.ask(request("another")).text is not None


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("step", [hangs(1.0), dribbles(1.0)], ids=["silent", "dribbling"])
def test_a_server_that_never_ends_is_given_up_in_time(stub, step, model):
    stub.script += [step] * 2
    asking = caller(stub, timeout=0.15, retry=Retry(retries=1))
    answer = asking.ask(request(model=model))
    assert answer.fault.startswith("timeout")
    assert [it.fault for it in answer.attempts] == ["timeout", "timeout"]
    assert answer.cost is None


@pytest.mark.parametrize("model", MODELS)
def test_a_body_of_ten_megabytes_is_not_read_to_its_end_nor_asked_for_again(stub, model):
    stub.script.append(sends(b'{"choices": "' + b"x" * 10_000_000 + b'"}'))
    answer = caller(stub).ask(request(model=model))
    assert answer.fault == f"too large: the body is longer than {MOST_BYTES:,} bytes"
    assert len(stub.seen) == 1


def test_an_answer_that_is_long_is_cut(stub):
    stub.script.append(says("x" * 1_000_000))
    assert len(caller(stub).ask(request()).text) == 100_000


def test_retry_after_is_waited_for_as_long_as_a_call_may_wait(stub):
    stub.script += [status(429, retry_after=4), status(429, retry_after=5)]
    slept = []
    assert caller(stub, slept=slept).ask(request()).fault is None
    assert slept == [4.0, 5.0]


def test_retry_after_beyond_the_limit_is_not_waited_for(stub):
    stub.script += [status(429, retry_after=4), status(429, retry_after=7)]
    slept = []
    answer = caller(stub, slept=slept).ask(request())
    assert answer.fault.startswith("rate limit 429")
    assert slept == [4.0]


def test_retry_after_may_be_a_date(stub):
    then = datetime.now(UTC) + timedelta(seconds=6)
    stub.script.append(status(503, retry_after=format_datetime(then, usegmt=True)))
    slept = []
    caller(stub, slept=slept).ask(request())
    assert 3 < slept[0] <= 6


@pytest.mark.parametrize("text", ["soon", "nan", "inf", "-3", ""])
def test_a_retry_after_that_is_none_is_a_plain_backoff(stub, text):
    stub.script.append(status(429, retry_after=text))
    slept = []
    assert caller(stub, slept=slept).ask(request()).fault is None
    assert 0 <= slept[0] <= 0.5


FINAL = {
    "expired key": (status(401, "Your key has expired"), "refused the key: key 401: Your key has"),
    "forbidden": (status(403), "refused the key: key 403"),
    "model not found": (status(404, "no model tiny"), "is not there: model 404: no model tiny"),
    "no quota": (status(429, "pay", code="insufficient_quota"), "is not paid for: quota 429: pay"),
    "no credit": (status(400, "Your credit balance is too low"), "is not paid for: quota 400"),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("step", "rule"), FINAL.values(), ids=FINAL)
def test_what_no_retry_mends_ends_the_run_at_once(stub, step, rule, model, tmp_path):
    asking = caller(stub, cassette=Cassette(tmp_path / "c.jsonl"))
    asking.ask(request("paid for", model=model))
    stub.script.append(step)
    with pytest.raises(Ended) as ended:
        asking.ask(request(model=model))
    message = str(ended.value)
    assert len(message.splitlines()) == 1
    assert f"model(={model}) {rule}" in message
    assert f"new answers, 1, are kept in {tmp_path}/c.jsonl" in message
    assert len(stub.seen) == 2
    with pytest.raises(Ended):  # and nobody is called again
        asking.ask(request("more", model=model))
    assert len(stub.seen) == 2


def test_a_wrong_key_ends_the_run(stub):
    environ = {**stub.environ, "STUB_API_KEY": "not-that-key"}
    with pytest.raises(Ended, match="refused the key: key 401: Incorrect API key provided"):
        caller(stub, environ=environ).ask(request())


def test_three_calls_that_fail_in_a_row_end_the_run_and_fewer_do_not(stub, tmp_path):
    asking = caller(stub, retry=Retry(retries=0), cassette=Cassette(tmp_path / "c.jsonl"))
    fine, bad = says("{}"), status(500, "down")
    stub.script += [bad, bad, fine, bad, bad, bad]
    for text in "abcde":
        asking.ask(request(text))
    with pytest.raises(Ended) as ended:
        asking.ask(request("f"))
    assert "failed 3 calls in a row, the last by server error 500: down" in str(ended.value)
    assert len((tmp_path / "c.jsonl").read_text().splitlines()) == 6


def test_a_dead_endpoint_ends_the_run_with_one_line(tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    cassette = Cassette(tmp_path / "c.jsonl")
    asking = Caller(environ={"STUB_BASE_URL": url}, sleep=lambda _: None, cassette=cassette)
    with pytest.raises(Ended) as ended:
        asking.together(asking.ask, [request(str(number)) for number in range(50)])
    message = str(ended.value)
    assert "failed 3 calls in a row, the last by connection: " in message
    assert url in message
    assert "kept" not in message  # failed calls are no answers
    assert len(message.splitlines()) == 1


def test_when_the_run_ends_waits_are_cut_short(stub):
    stub.answer = lambda asked: time.sleep(0.2) or "{}"
    stub.script += [says("{}")]
    asking = Caller(environ=stub.environ)  # really waits
    wait, cut_short = asking._sleep, []
    asking._sleep = lambda seconds: cut_short.append(wait(seconds))
    asking.ask(request("first"))
    stub.script += [status(429, retry_after=9), status(401, "expired")]
    with pytest.raises(Ended, match="refused the key"):
        asking.together(asking.ask, [request(str(number)) for number in range(6)])
    assert cut_short == [True]


REFUSALS = {
    "stub/tiny": ("temperature", "response_format"),
    "anthropic/claude-stub": ("temperature", "output_config"),
}


@pytest.mark.parametrize("model", MODELS)
def test_what_a_model_refuses_is_left_out_learnt_once_and_recorded(stub, model):
    stub.refuses = frozenset(REFUSALS[model])
    asking = caller(stub)
    answers = asking.together(asking.ask, [request(str(n), model=model) for n in range(20)])
    assert len(stub.seen) == 22
    assert [answer.temperature for answer in answers] == [0.0] * 20
    assert {(it.sent.temperature, it.sent.schema) for it in answers} == {(None, False)}
    faults = sorted(len(answer.attempts) for answer in answers)
    assert faults == [1] * 19 + [3]


def test_a_server_that_calls_the_limit_otherwise_is_met(stub):
    stub.refuses = frozenset({"max_tokens"})
    asking = caller(stub)
    asking.ask(request("a"))
    asking.ask(request("b"))
    assert [("max_tokens" in it.body) for it in stub.seen] == [True, False, False]
    assert stub.seen[1].body["max_completion_tokens"] == 100


def test_a_server_that_refuses_everything_is_asked_a_bounded_number_of_times(stub):
    stub.script += [
        status(400, f"{name} is not supported")
        for name in ["temperature", "response_format", "max_tokens", "max_completion_tokens"] * 3
    ]
    answer = caller(stub).ask(request())
    assert answer.fault.startswith("parameter 400")
    assert len(stub.seen) <= 5


def test_a_request_that_is_refused_for_another_reason_fails_alone(stub):
    stub.script.append(status(400, "This model's maximum context length is 4096 tokens"))
    asking = caller(stub)
    assert asking.ask(request()).fault.startswith("request 400: This model's maximum context")
    assert asking.ask(request("shorter")).fault is None


def test_models_known_to_reason_are_sent_no_temperature(stub):
    environ = {"OPENAI_BASE_URL": f"{stub.url}/v1", "OPENAI_API_KEY": stub.key}
    asking = caller(stub, environ=environ)
    assert asking.ask(request(model="openai/gpt-5.1")).sent.temperature is None
    assert asking.ask(request(model="openai/gpt-4.1")).sent.temperature == 0.0
    assert ["temperature" in it.body for it in stub.seen] == [False, True]
    assert all("max_completion_tokens" in it.body for it in stub.seen)


def test_tokens_are_those_the_server_tells_cached_and_reasoning_too(stub):
    usage = {
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 7},
        "completion_tokens": 9,
    }
    stub.script += [status(500), says("one two", usage=usage)]
    answer = caller(stub).ask(request("three words here"))
    assert answer.attempts[0].usage.total is None
    usage = answer.attempts[1].usage
    assert (usage.input, usage.output, usage.cached, usage.reasoning) == (5, 9, 2, 7)
    assert answer.tokens == 14
    assert (answer.model, answer.api_version, answer.stop) == (STUB, "stub", "stop")


def test_anthropic_counts_its_cache_apart(stub):
    usage = {
        "cache_read_input_tokens": 10,
        "cache_creation_input_tokens": 100,
        "output_tokens_details": {"thinking_tokens": 4},
    }
    stub.script.append(says("one two", usage=usage))
    answer = caller(stub).ask(request("three words here", model=MODELS[1]))
    usage = answer.attempts[0].usage
    assert (usage.input, usage.output, usage.cached, usage.reasoning) == (113, 2, 10, 4)
    assert answer.api_version
    assert answer.stop == "end_turn"


@pytest.mark.parametrize("usage", [{"prompt_tokens": "many"}, {"prompt_tokens": -1}])
def test_counts_that_are_none_are_unknown(stub, usage):
    stub.script.append(says("{}", usage=usage))
    answer = caller(stub).ask(request())
    assert answer.attempts[0].usage.input is None
    assert answer.cost is None


ECHOES = {
    "an answer": lambda key: says(f"your key is {key}"),
    "a refusal": lambda key: says(None, refusal=f"not with {key}"),
    "the model's name": lambda key: says("{}", document={"model": key}),
    "the reason for stopping": lambda key: says("{}", finish_reason=key),
    "an expired key": lambda key: status(401, f"the key {key} has expired"),
    "a model that is missing": lambda key: status(404, f"{key} may not use this model"),
    "a long reason": lambda key: status(404, "x" * 185 + key),
    "no quota": lambda key: status(429, f"pay for {key}", code="insufficient_quota"),
    "a rate limit": lambda key: status(429, f"slow down, {key}", retry_after=99),
    "a server error": lambda key: status(500, f"{key}\n{key}"),
    "a bad request": lambda key: status(400, f"{key} is odd"),
    "a refused parameter": lambda key: status(400, f"temperature is not supported, {key}"),
    "HTML": lambda key: sends(f"<html>{key}</html>".encode(), code=502),
    "a body that is no JSON": lambda key: sends(f"key {key}".encode()),
    "a body of something else": lambda key: sends(f'{{"{key}": 1}}'.encode()),
    "an error that is no text": lambda key: sends(f'{{"error": ["{key}"]}}'.encode(), code=418),
    "a body cut short": lambda _: closes_midway,
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
def test_a_key_shows_up_nowhere_even_if_the_server_repeats_it(echo, model, tmp_path, caplog, capfd):
    canary = "sk-canary-7d1f0c52"
    caplog.set_level(logging.DEBUG)
    with Stub(key=canary) as stub:
        stub.script += [echo(canary)] * 4
        asking = caller(stub, cassette=Cassette(tmp_path / "c.jsonl"))
        shown = [repr(asking), repr(stub.seen and None)]
        try:
            shown.append(repr(asking.ask(request(model=model))))
        except Ended as ended:
            shown += [str(ended), repr(ended)]
        assert stub.seen  # the control: it did go out
        assert canary in str(stub.seen[0].headers)
        asking.close()
    everything = [*shown, (tmp_path / "c.jsonl").read_text(), caplog.text, *capfd.readouterr()]
    assert not [text for text in everything if "canary" in text]


def test_a_url_with_a_password_is_shown_without_it(stub):
    url = stub.url.replace("http://", "http://me:sesame-open@")
    stub.script.append(status(404))
    with pytest.raises(Ended) as ended:
        caller(stub, environ={**stub.environ, "STUB_BASE_URL": f"{url}/v1?key=sesame"}).ask(
            request()
        )
    assert "sesame" not in str(ended.value)


def test_equal_requests_are_sent_once_whoever_asks(stub):
    stub.delay = 0.02
    asking = caller(stub)
    answers = asking.together(asking.ask, [request(str(n % 10)) for n in range(200)])
    assert len(answers) == 200
    assert len(stub.seen) == 10


def test_at_most_so_many_calls_are_in_flight(stub):
    three, flying, most = threading.Barrier(3, timeout=60), [], []

    def answer(asked):
        flying.append(asked)
        most.append(len(flying))
        if asked.last != "first":
            three.wait()  # nobody is answered before three are asked
        flying.remove(asked)
        return "{}"

    stub.answer = answer
    asking = caller(stub, at_once=3)
    asking.ask(request("first"))
    asking.together(asking.ask, [request(str(n)) for n in range(30)])
    assert max(most) == 3


def test_an_interrupt_keeps_what_was_paid_for(stub, tmp_path):
    asking = caller(stub, cassette=Cassette(tmp_path / "c.jsonl"), at_once=2)

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asking.together(asking.ask, [request(str(n)) for n in range(50)], advance=interrupt)
    kept = len((tmp_path / "c.jsonl").read_text().splitlines())
    assert kept == len(stub.seen) < 50


def test_a_limit_of_calls_stops_the_run_and_keeps_them(stub, tmp_path):
    path = tmp_path / "c.jsonl"
    asking = caller(stub, cassette=Cassette(path), limits=Limits(calls=7))
    with pytest.raises(Ended, match="is called no more: --max-calls 7 is reached"):
        asking.together(asking.ask, [request(str(n)) for n in range(20)])
    assert len(stub.seen) == 7
    with pytest.raises(Ended, match="new answers, 7, are kept in"):
        asking.ask(request("more"))
    asking = caller(stub, cassette=Cassette(path))  # and the next run goes on from there
    asking.together(asking.ask, [request(str(n)) for n in range(20)])
    assert len(stub.seen) == 20


def test_a_budget_is_never_exceeded(stub, tmp_path):
    environ = {"OPENAI_BASE_URL": f"{stub.url}/v1", "OPENAI_API_KEY": stub.key}
    usage = {"prompt_tokens": 60, "completion_tokens": 100}
    stub.script += [says("{}", usage=usage, document={"model": "gpt-4.1"})] * 99
    cassette = Cassette(tmp_path / "c.jsonl")
    asking = caller(stub, environ=environ, cassette=cassette, limits=Limits(budget=0.02))
    with pytest.raises(Ended, match=r"--budget 0\.02 is reached"):
        asking.together(asking.ask, [request(str(n), model="openai/gpt-4.1") for n in range(99)])
    assert 0.015 < asking.spending.spent <= 0.02
    assert len(stub.seen) == asking.spending.calls == cassette.added


def test_a_budget_without_a_price_is_refused_before_the_first_call(stub):
    asking = caller(stub, limits=Limits(budget=2.0))
    with pytest.raises(Ended, match=r"--budget\(=2.0\) needs a price: none is known for stub/tiny"):
        asking.check(request().model)
    with pytest.raises(Ended, match="needs a price"):
        asking.ask(request())
    assert not stub.seen
