"""The streams as tasks of Inspect AI (extra `inspect`): any of its providers runs them.

    inspect eval bestbefore/judge -T router=bm25-dossier -T mode=extract --model openai/gpt-4.1
    inspect eval bestbefore/watch -T stream=indirect --model openai/gpt-4.1

`judge` asks what a run asks, in the same words, and reads answers as a run does, without a repair:
one that cannot be used counts as keep. `watch` has conditions written, and scores whether they can
be used and what of the decision's needs they name. Gold stands in targets and metadata, which no
model is sent. `sim.inspect_logs` reads what came of `judge` back into a frame.

Nothing is decorated here: where Inspect is not installed, its decorators have no types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, grouped, mean, scorer, stderr
from inspect_ai.solver import generate

from llm.asking import MAX_OUTPUT
from llm.calls import Message
from llm.conditions import read_all
from llm.json_object import Malformed, the_object
from llm.judges import make_model_judge
from llm.modes import MODES
from llm.prompt import load_prompt
from llm.watch import without_conditions
from llm.watch_model import read_conditions
from llm.watch_writers import make_watch_model
from routers import Entry, Notice
from routers.reading.names import NameIndex
from sim.questions import Question
from sim.runs import questions_of
from sim.streams import STREAMS, Labelled, make_stream, read_labelled
from sim.streams.stream import RELATIONS, Gold

_ANY = "any/model"
"""A name to make prompts by: the model that Inspect runs stands in no prompt."""
_CUT_OFF = ("max_tokens", "model_length")


def _judge(
    stream: str = "indirect",
    router: str = "bm25-dossier",
    k: int = 3,
    seed: int = 0,
    mode: str = "decide",
) -> object:
    """Keep or switch, after the news that a router delivered."""
    labelled = _labelled(stream, seed)
    judge = make_model_judge(_ANY, mode=mode)
    samples = [
        Sample(
            id=asked.entry.id,
            input=_messages(judge.request(*asked).messages),
            target="switch" if labelled.gold.truths[asked.entry.id].label else "keep",
            metadata=_metadata(asked, labelled.gold),
        )
        for asked in questions_of(labelled, routers=[router], ks=[k])
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"{stream} by {router}"),
        solver=generate(),
        scorer=choice(mode),
        config=GenerateConfig(temperature=0, max_tokens=MAX_OUTPUT),
        version=str(load_prompt(mode)),
    )


def _watch(stream: str = "indirect", seed: int = 0) -> object:
    """Write down what news would stop each decision."""
    writer = make_watch_model(_ANY)
    entries = map(without_conditions, _labelled(stream, seed).stream.decisions)
    samples = [
        Sample(
            id=entry.id,
            input=_messages(writer.request(entry).messages),
            metadata={"needed": read_all(entry).needed, "unneeded": read_all(entry).unneeded},
        )
        for entry in entries
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"conditions of {stream}"),
        solver=generate(),
        scorer=conditions(),
        config=GenerateConfig(temperature=0, max_tokens=MAX_OUTPUT),
        version=writer.version,
    )


def _choice(mode: str) -> Callable[..., Any]:
    """Right or wrong; an answer that cannot be used is kept as keep, and says so."""

    async def score(state: Any, target: Any) -> object:  # noqa: ANN401 (types of Inspect)
        try:
            found = MODES[mode].read(_said(state), *_question(state.metadata))
            chosen, reason, invalid = found.choice, found.reason, None
        except Malformed as error:
            chosen, reason, invalid = "keep", str(error), str(error)
        right = CORRECT if chosen == target.text else INCORRECT
        return Score(value=right, answer=chosen, explanation=reason, metadata={"invalid": invalid})

    return score


def _conditions() -> Callable[..., Any]:
    """Whether conditions can be used, the share of needed names in them, and of unneeded ones."""

    async def score(state: Any, target: Any) -> object:  # noqa: ANN401 (types of Inspect)
        del target
        try:
            found = read_conditions(_said(state))
        except Malformed as error:
            value = {"usable": 0.0, "needed": 0.0, "unneeded": 0.0}
            return Score(value=value, explanation=str(error))
        text = "\n".join(found)
        value = {"usable": 1.0}
        value |= {name: _named(state.metadata[name], text) for name in ("needed", "unneeded")}
        return Score(value=value, answer=text)

    return score


choice = scorer(
    metrics=[
        accuracy(),
        stderr(),
        grouped(
            accuracy(), "should", all=False, name_template="{group_name}, of those that should"
        ),
        grouped(accuracy(), "relation", all=False, name_template="delivered: {group_name}"),
    ],
    name="choice",
)(_choice)
"""Accuracy, over all, over those that should keep and switch, and by what was delivered."""
conditions = scorer(metrics={"*": [mean()]}, name="conditions")(_conditions)
"""Means of its three shares."""
# Inspect takes a distribution's name from where its files lie: ours lie in a repository.
judge = task(_judge, name="bestbefore/judge")
watch = task(_watch, name="bestbefore/watch")


def _labelled(stream: str, seed: int) -> Labelled:
    return make_stream(stream, seed=seed) if stream in STREAMS else read_labelled(Path(stream))


def _messages(messages: Sequence[Message]) -> list[Any]:
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
    return [kinds[message.role](content=message.text) for message in messages]


def _metadata(asked: Question, gold: Gold) -> dict[str, Any]:
    """What a scorer needs: the question again, and what is true of it."""
    truth = gold.truths[asked.entry.id]
    ids = {notice.id for notice in asked.notices}
    delivered = {concern.relation for concern in truth.notices if concern.notice in ids}
    return {
        "should": "switch" if truth.label else "keep",
        "relation": next((it for it in RELATIONS if it in delivered), "nothing"),
        "kind": truth.kind,
        "epoch": asked.entry.epoch.isoformat(),
        "entry": asked.entry.to_json(),
        "notices": [notice.to_json() for notice in asked.notices],
    }


def _question(metadata: Mapping[str, Any]) -> tuple[Entry, list[Notice]]:
    """The decision and the notices that a sample was made from."""
    epoch = datetime.fromisoformat(metadata["epoch"])
    entry = Entry.from_json(metadata["entry"], epoch=epoch)
    return entry, [Notice.from_json(it, epoch=epoch) for it in metadata["notices"]]


def _said(state: Any) -> dict[str, Any]:  # noqa: ANN401 (types of Inspect)
    """The JSON object of an answer; raises `Malformed` where there is none that can be used."""
    if state.output.stop_reason in _CUT_OFF:
        raise Malformed("it ended before it was whole")
    if state.output.stop_reason == "content_filter":
        raise Malformed("it was refused")
    return the_object(state.output.completion)


def _named(names: Sequence[str], text: str) -> float:
    """The share of names that a text has in it; 0 of none."""
    index: NameIndex[str] = NameIndex()
    for name in names:
        index.add(name, name)
    return len(set(index.find(text))) / len(names) if names else 0.0
