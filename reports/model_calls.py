"""What asking models will take, and what a run's answers came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from llm.calls import Usage
from llm.calls.prices import cost_of
from sim.answers import WRITER

if TYPE_CHECKING:
    from llm.calls import Caller, Request
    from llm.model import ModelJudge
    from llm.watch_model import WatchModel
    from routers import Entry
    from sim.questions import Question

_BYTES_PER_TOKEN = 4
_OUTPUT = {"decide": (40, 0), "extract": (20, 50)}
"""Tokens of a plain answer, and for each notice, by mode; thoughts of models that reason not
counted."""
_CONDITIONS = 120
"""The same of a watch writer's answer."""


class Estimate(NamedTuple):
    """What asking one judge will take."""

    judge: str
    questions: int
    """Decisions with news, over all routers, K, streams and seeds; a writer's: all decisions."""
    distinct: int
    """Those that are not the same: each is sent once."""
    recorded: int
    """Distinct ones that the cassette answers."""
    calls: int
    """The rest: what is sent, repairs and retries apart."""
    input_tokens: int
    """Of these calls, at four bytes a token."""
    output_tokens: int
    """Of plain answers."""
    cost: float | None
    """US dollars; None where the model's price is unknown."""

    def __str__(self) -> str:
        dollars = "of unknown price" if self.cost is None else f"about ${self.cost:.2f}"
        return (
            f"{self.judge}: {self.questions:,} questions, {self.distinct:,} distinct,"
            f" {self.recorded:,} recorded; {self.calls:,} calls, about {self.input_tokens:,}"
            f" tokens in and {self.output_tokens:,} out, {dollars}"
        )


def estimate(judge: ModelJudge, asked: Sequence[Question]) -> Estimate:
    """What it will take to ask a judge these questions."""
    plain, each = _OUTPUT[judge.mode.name]
    outputs = {judge.request(*it): plain + each * len(it.notices) for it in asked}
    return _estimate(judge.name, judge.caller, outputs, len(asked))


def estimate_writing(writer: WatchModel, entries: Sequence[Entry]) -> Estimate:
    """What it will take to have conditions written for these decisions."""
    outputs = {writer.request(entry): _CONDITIONS for entry in entries}
    return _estimate(WRITER.format(writer.name), writer.caller, outputs, len(entries))


def _estimate(
    name: str, caller: Caller, outputs: Mapping[Request, int], questions: int
) -> Estimate:
    """The estimate of distinct requests, each with the tokens of a plain answer."""
    sent = [request for request in outputs if not caller.known(request)]
    read = sum(request.size + len(request.form) for request in sent) // _BYTES_PER_TOKEN
    written = sum(outputs[request] for request in sent)
    return Estimate(
        name,
        questions=questions,
        distinct=len(outputs),
        recorded=len(outputs) - len(sent),
        calls=len(sent),
        input_tokens=read,
        output_tokens=written,
        cost=cost_of(sent[0].model, Usage(read, written)) if sent else 0.0,
    )


def sources(answers: pl.DataFrame | None) -> list[dict[str, Any]]:
    """Where the answers of each judge that asks a model came from, for manifests and pages.

    `judge`, `answers`, how many of them `replayed` from a recording, `invalid` or `repaired`, who
    answered as the server says (`models`), the days of recording (`first`, `last`), `prompts`, the
    temperatures `temperature` as requested and `sent`, and `cost` (None where any is unknown).
    """
    if answers is None:
        return []
    return [
        {
            "judge": rows["judge"][0],
            "answers": rows.height,
            "replayed": int(rows["replayed"].sum()),
            "invalid": int(rows["invalid"].is_not_null().sum()),
            "repaired": int(rows["repaired"].sum()),
            "models": sorted(rows["model"].drop_nulls().unique()),
            "first": str(rows["recorded"].min())[:10],
            "last": str(rows["recorded"].max())[:10],
            "prompts": sorted(rows["prompt"].unique()),
            "temperature": sorted(rows["temperature"].unique()),
            "sent": [
                None if value is None else float(value)
                for value in rows["temperature_sent"].unique(maintain_order=True)
            ],
            "cost": None if rows["cost"].is_null().any() else float(rows["cost"].sum()),
        }
        for rows in answers.partition_by("judge", maintain_order=True)
    ]


def source_line(source: dict[str, Any]) -> str:
    """The same of one judge, in words."""
    days = " to ".join(dict.fromkeys((source["first"], source["last"])))
    models = ", ".join(source["models"]) or "nobody"
    cost = "" if source["cost"] is None else f", ${source['cost']:.2f}"
    return (
        f"{source['judge']}: {source['answers']:,} distinct answers of {models} of {days},"
        f" {source['replayed']:,} replayed from a recording,"
        f" {source['invalid']:,} invalid, {source['repaired']:,} repaired{cost}"
    )
