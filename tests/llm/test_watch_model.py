"""The watch writer that asks a model: what it writes is checked. A stub answers, and no model."""

import json

import numpy as np
import pytest
from asking import caller

from llm import make_watch_writer, with_conditions
from llm.calls import Cassette
from llm.calls.stub import Stub, says, status
from llm.watch_conformance import check_watch_writer
from llm.watch_model import WatchModel
from routers import Entry
from theory import BadInput

ENTRY = Entry(
    id="d1",
    decided=0,
    deadline=48,
    action=108,
    options=("Velmarin Hall", "Sorrin Barn"),
    text="The concert is at Velmarin Hall.",
    evidence=("The Tarn Line was found running.",),
    background=("Velmarin Hall is also known as the Old Granary.",),
    watch=("What it had before.",),
    extra={"label": "UNMISTAKABLE"},
)
THREE = ["Velmarin Hall is closed.", "The Old Granary is shut.", "The Tarn Line stands still."]


def written(*conditions):
    return json.dumps({"conditions": list(conditions)})


@pytest.fixture
def stub():
    with Stub(answer=lambda _: written(*THREE)) as running:
        yield running


def writer(stub, **options):
    return make_watch_writer("stub/any", caller=caller(stub, **options))


def test_conditions_are_what_the_model_wrote(stub):
    written = with_conditions(ENTRY, writer(stub))
    assert written.watch == tuple(THREE)
    assert written.extra["watch_by"] == {"writer": "stub/any", "version": "watch@1"}


def test_the_model_reads_evidence_and_dossier_and_nothing_else(stub):
    with_conditions(ENTRY, writer(stub))
    [asked] = stub.seen
    for text in (ENTRY.text, *ENTRY.evidence, *ENTRY.background):
        assert text in asked.last
    for text in ("UNMISTAKABLE", "What it had before", "1970-01-05", "d1\n"):
        assert text not in str(asked.body)


BAD = {
    "too few": written(*THREE[:2]),
    "too many": written(*(f"Gate {number} is shut." for number in range(9))),
    "none": written(),
    "one twice": written(*THREE, THREE[0].upper()),
    "an empty one": written(*THREE, "  "),
    "an essay": written(*THREE, "It is closed and " * 40),
    "a control character": written(*THREE, "Gate \x1b[31m is shut."),
    "no texts": json.dumps({"conditions": [1, 2, 3]}),
    "no list": json.dumps({"conditions": "shut"}),
    "another field": json.dumps({"watch": THREE}),
    "prose": "Watch the hall, the granary and the line.",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_what_breaks_a_rule_is_sent_back_once(stub, text):
    stub.script.append(says(text))
    repaired = writer(stub)
    assert repaired.write(ENTRY) == THREE
    assert repaired.asked[0].repaired
    stub.script += [says(text)] * 2
    failing = writer(stub)
    assert failing.write(ENTRY) == []
    assert failing.asked[0].invalid == "malformed"
    assert len(stub.seen) == 4


def test_sentences_are_put_on_one_line(stub):
    stub.script.append(says(written(" Velmarin\nHall  is closed. ", *THREE[1:])))
    assert writer(stub).write(ENTRY) == THREE


def test_a_call_that_fails_leaves_a_decision_without_conditions(stub):
    stub.script.append(status(400, "too long"))
    assert writer(stub).write(ENTRY) == []


def test_the_writer_conforms(stub):
    shared = caller(stub)
    check_watch_writer(
        lambda: make_watch_writer("stub/any", caller=shared), rng=np.random.default_rng(0)
    )


def test_many_are_written_together_each_once_and_replayed(stub, tmp_path):
    path = tmp_path / "calls.jsonl"
    told = []
    recording = writer(stub, cassette=Cassette(path))
    recording.prepare([ENTRY, ENTRY], advance=told.append)
    assert len(stub.seen) == sum(told) == 1
    assert json.loads(path.read_text())["prompt"] == recording.version == "watch@1"
    replaying = writer(stub, environ={}, cassette=Cassette(path, mode="replay"))
    assert replaying.write(ENTRY) == THREE
    assert len(stub.seen) == 1


def test_names():
    assert isinstance(make_watch_writer("ollama:qwen3:8b"), WatchModel)
    assert make_watch_writer("ollama:qwen3:8b").name == "ollama/qwen3:8b"
    with pytest.raises(BadInput, match="must be one of rules, everything, or a model"):
        make_watch_writer("solomon")
