"""Cassettes: what is recorded is replayed, misses are explained, and nothing tears them."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from asking import caller, request
from hypothesis import given
from hypothesis import strategies as st

from llm.calls import Answer, Attempt, Cassette, Sent, Usage
from llm.calls.caller import Ended
from llm.calls.request import key_of
from llm.calls.stub import STUB, Stub, says, status
from theory import BadInput

SENT = Sent(0.0, True, 100)


def answer(text="{}", sent=SENT):
    return Answer(
        text=text,
        refusal=None,
        stop="stop",
        model=STUB,
        api_version=None,
        temperature=0.0,
        sent=sent,
        attempts=(Attempt(None, 200, 0.25, 0.5, Usage(3, 4, None, 1)),),
        cost=None,
        recorded="2035-05-01T12:00:00Z",
    )


@pytest.fixture
def stub():
    with Stub() as running:
        yield running


@pytest.fixture
def path(tmp_path):
    return tmp_path / "calls.jsonl"


def test_what_was_recorded_is_replayed_without_key_url_or_server(stub, path):
    stub.script += [status(500), says("the answer")]
    recorded = caller(stub, cassette=Cassette(path)).ask(request())
    replayed = caller(stub, environ={}, cassette=Cassette(path, mode="replay")).ask(request())
    assert replayed == replace(recorded, replayed=True)
    assert len(stub.seen) == 2


def test_a_recording_goes_on_where_it_stopped(stub, path):
    for asked in ("a", "ab", "abc"):
        calling = caller(stub, cassette=Cassette(path))
        for text in asked:
            calling.ask(request(text))
    assert len(stub.seen) == 3
    assert (calling.replayed, calling.cassette.added) == (2, 1)


def test_a_failed_call_is_made_again_when_recording_and_replayed_as_it_was(stub, path):
    stub.script += [status(400, "too long")]
    assert caller(stub, cassette=Cassette(path)).ask(request()).fault
    assert caller(stub, cassette=Cassette(path, mode="replay")).ask(request()).fault
    assert caller(stub, cassette=Cassette(path)).ask(request()).fault is None
    assert caller(stub, cassette=Cassette(path, mode="replay")).ask(request()).fault is None


@pytest.mark.parametrize("refuses", [(), ("temperature",), ("temperature", "response_format")])
def test_an_answer_is_found_whatever_of_the_request_was_sent(stub, path, refuses):
    stub.refuses = frozenset(refuses)
    recorded = caller(stub, cassette=Cassette(path)).ask(request())
    replayed = caller(stub, cassette=Cassette(path, mode="replay")).ask(request())
    assert replayed.sent == recorded.sent


def test_the_key_is_of_model_messages_schema_prompt_and_what_was_sent():
    whole = request().document()
    others = [
        request("bye").document(),
        request(model="stub/large").document(),
        request(prompt="decide@2").document(),
        {**whole, "schema": {"type": "array"}},
    ]
    keys = [key_of(it, SENT) for it in [whole, *others]]
    sents = [Sent(None, True, 100), Sent(0.0, False, 100), Sent(0.0, True, 200)]
    keys += [key_of(whole, sent) for sent in sents]
    assert len(set(keys)) == len(keys)
    assert key_of(request().document(), SENT) == keys[0]


MISSES = {
    "text": (request("Closed on 6 May."), 'the user message: asked "Closed on 6 May.", recorded'),
    "model": (request("Closed on 5 May.", model="stub/large"), "model: asked stub/large, recorded"),
    "prompt": (request("Closed on 5 May.", prompt="decide@9"), "prompt: asked decide@9"),
    "limit": (request("Closed on 5 May.", max_output=7), "what is sent: asked {'temperature': 0.0"),
}


@pytest.mark.parametrize(("asked", "says"), MISSES.values(), ids=MISSES)
def test_a_miss_in_replay_names_the_nearest_line_and_the_difference(stub, path, asked, says):
    recording = caller(stub, cassette=Cassette(path))
    for text in ("Something else.", "Closed on 5 May.", "Nothing."):
        recording.ask(request(text))
    with pytest.raises(BadInput) as miss:
        caller(stub, cassette=Cassette(path, mode="replay")).ask(asked)
    message = str(miss.value)
    assert len(message.splitlines()) == 1
    assert message.startswith("cassette(=")
    assert ") must hold what was asked: the nearest, at line 2, differs" in message
    assert says in message
    assert not isinstance(miss.value, Ended)


def test_a_miss_in_an_empty_cassette(stub, path):
    path.touch()
    with pytest.raises(BadInput, match="it is empty"):
        caller(stub, cassette=Cassette(path, mode="replay")).ask(request())


@pytest.mark.parametrize("length", [1, 17, 70_000, 200_000])
def test_a_torn_last_line_is_taken_away_and_the_rest_kept(path, length):
    cassette = Cassette(path)
    cassette.add(request("a"), answer("x" * length))
    whole = path.read_bytes()
    cassette.add(request("b"), answer("x" * length))
    torn = path.read_bytes()[: -min(length, 5)]
    path.write_bytes(torn)
    assert len(Cassette(path, mode="replay")) == 1
    assert path.read_bytes() == torn  # who only reads repairs nothing
    assert len(Cassette(path)) == 1
    assert path.read_bytes() == whole


def test_a_cassette_of_one_torn_line_is_empty(path):
    path.write_bytes(b"x" * 100_000)
    assert len(Cassette(path)) == 0
    assert path.read_bytes() == b""


def test_a_line_that_another_process_tore_is_repaired_before_the_next_is_added(path):
    cassette = Cassette(path)
    cassette.add(request("a"), answer())
    with path.open("ab") as file:
        file.write(b'{"key": "half a li')
    cassette.add(request("b"), answer())
    assert len(Cassette(path, mode="replay")) == 2


@given(text=st.text(), again=st.text())
def test_any_text_comes_back_as_it_was(tmp_path_factory, text, again):
    path = tmp_path_factory.mktemp("cassette") / "c.jsonl"
    storable = [it.encode("utf-8", "replace").decode() for it in (text, again)]
    cassette = Cassette(path)
    for number, it in enumerate(storable):
        cassette.add(request(f"{number} {storable[0]}"), answer(it))
    read = Cassette(path, mode="replay")
    assert [read.find(request(f"{n} {storable[0]}"), [SENT]).text for n in (0, 1)] == storable


APPEND = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from asking import request
from test_cassette import answer
from llm.calls import Cassette
cassette = Cassette(Path({path!r}))
for number in range({count}):
    cassette.add(request(f"{{sys.argv[1]}} {{number}}"), answer("x" * 3000))
    print(number, flush=True)
"""


def append(path, name, count):
    tests = os.path.dirname(__file__)  # noqa: PTH120
    code = APPEND.format(tests=tests, path=str(path), count=count)
    return subprocess.Popen([sys.executable, "-c", code, name], stdout=subprocess.PIPE, text=True)


def test_what_was_acknowledged_survives_a_kill(path):
    with append(path, "killed", 100_000) as process:
        for line in process.stdout:
            if int(line) == 20:
                process.send_signal(signal.SIGKILL)
                break
        rest = process.stdout.read().split()
    last = int(rest[-1]) if rest else 20
    cassette = Cassette(path)
    found = [cassette.find(request(f"killed {n}"), [SENT]) for n in range(last + 1)]
    assert all(found)


def test_several_processes_add_to_one_cassette(path):
    processes = [append(path, str(name), 40) for name in range(3)]
    for process in processes:
        process.communicate()
    assert len(path.read_bytes().splitlines()) == len(Cassette(path, mode="replay")) == 120


BROKEN = {
    "no JSON": ("{nonsense", r"line 1: line\(=.*must be a JSON object"),
    "no object": ("[1]", "line 1: line"),
    "no request": ("{}", r"line 1: line\(=...\) must hold a request and its answer"),
}


@pytest.mark.parametrize(("line", "says"), BROKEN.values(), ids=BROKEN)
def test_a_broken_line_is_refused_with_its_number(path, line, says):
    path.write_text(line + "\n")
    with pytest.raises(BadInput, match=says):
        Cassette(path)


def test_a_line_that_was_changed_by_hand_is_refused(path):
    Cassette(path).add(request("Closed on 5 May."), answer())
    path.write_text(path.read_text().replace("5 May", "6 May"))
    with pytest.raises(BadInput, match=r"line 1: key\(=.*must be the hash of the line's request"):
        Cassette(path, mode="replay")


def test_files_that_cannot_be(tmp_path):
    with pytest.raises(BadInput, match="must be a file, not a folder"):
        Cassette(tmp_path)
    with pytest.raises(BadInput, match="must be a file, not a folder"):
        Cassette(tmp_path, mode="replay")
    with pytest.raises(BadInput, match="must lie in a folder that exists"):
        Cassette(tmp_path / "no" / "c.jsonl")
    with pytest.raises(BadInput, match="must be a file that exists"):
        Cassette(tmp_path / "c.jsonl", mode="replay")


def test_a_full_disk_leaves_whole_lines(path, monkeypatch):
    cassette = Cassette(path)
    cassette.add(request("a"), answer())
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:10]))
    with pytest.raises(BadInput, match="cannot be written: the disk is full"):
        cassette.add(request("b"), answer())
    assert len(Cassette(path, mode="replay")) == 1


def test_it_says_when_and_of_which_model_its_answers_are(path):
    cassette = Cassette(path)
    cassette.add(request("a"), answer())
    cassette.add(request("b"), answer())
    cassette.add(request("c", model="stub/large"), answer())
    found = Cassette(path, mode="replay").recordings
    assert found == {("stub/tiny", "2035-05-01"): 2, ("stub/large", "2035-05-01"): 1}


def test_lines_are_documents_of_request_and_answer(path):
    Cassette(path).add(request("a"), answer("hi"))
    document = json.loads(path.read_text())
    assert set(document) == {
        *("key", "recorded", "model", "prompt", "messages", "schema", "sent", "answer"),
    }
    assert document["answer"]["attempts"][0]["usage"]["reasoning"] == 1
