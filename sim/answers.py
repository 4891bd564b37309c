"""What models answered in a run, a row each distinct question: a table beside the calls.

Equal questions are asked once, whichever router led to them; what an answer cost stands here, and
each call names its question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl

from llm.asking import Asked
from llm.calls import Usage
from llm.model import ModelJudge
from llm.modes.mode import Found
from llm.watch_model import WatchModel
from routers import Entry
from sim.columns import Rows, Schema

WRITER = "watch by {}"
"""What a watch writer that asks a model is called beside judges."""

ANSWERS: Schema = {
    "judge": pl.String,
    "question": pl.String,
    "prompt": pl.String,
    "choice": pl.String,
    "invalid": pl.String,
    "repaired": pl.Boolean,
    "model": pl.String,
    "api_version": pl.String,
    "stop": pl.String,
    "attempts": pl.Int64,
    "input": pl.Int64,
    "output": pl.Int64,
    "cached": pl.Int64,
    "reasoning": pl.Int64,
    "cost": pl.Float64,
    "latency": pl.Float64,
    "temperature": pl.Float64,
    "temperature_sent": pl.Float64,
    "schema_sent": pl.Boolean,
    "recorded": pl.String,
    "replayed": pl.Boolean,
}
"""`question` is its digest, as in the calls; tokens, cost (US dollars) and latency (seconds) are
sums over all attempts and the repair, null where a server did not tell; `choice` is null of an
invalid answer and of a watch writer; `model` is as the server reports it; `temperature` as
requested, `temperature_sent` null where it was left out."""


def answers(
    judges: Sequence[ModelJudge],
    calls: pl.DataFrame,
    *,
    writer: WatchModel | None = None,
    watched: Iterable[Entry] = (),
) -> pl.DataFrame | None:
    """The answers of these judges to the questions of the calls, and of a writer about decisions.

    The writer stands in the column `judge` as `WRITER`. None where no model was asked.
    """
    if not judges and writer is None:
        return None
    questions = set(calls["question"].drop_nulls())
    rows = Rows(ANSWERS)
    for judge in judges:
        for asked in judge.asked:
            if asked.request.digest in questions:
                rows.add(judge.name, *_row(asked))
    if writer is not None:
        requests = {writer.request(entry) for entry in watched}
        for written in writer.asked:
            if written.request in requests:
                rows.add(WRITER.format(writer.name), *_row(written))
    return rows.frame()


def _row(asked: Asked[Any]) -> Iterator[object]:
    """The values of a row after the judge."""
    last = asked.answers[-1]
    attempts = [attempt for answer in asked.answers for attempt in answer.attempts]
    choice = asked.found.choice if isinstance(asked.found, Found) else None
    costs = [answer.cost for answer in asked.answers]
    yield from (asked.request.digest, asked.request.prompt, choice, asked.invalid)
    yield from (asked.repaired, last.model, last.api_version, last.stop, len(attempts))
    for name in ("input", "output", "cached", "reasoning"):
        yield _told([attempt.usage for attempt in attempts], name)
    yield None if None in costs else sum(cost for cost in costs if cost is not None)
    yield sum(answer.latency for answer in asked.answers)
    yield from (last.temperature, last.sent.temperature, last.sent.schema)
    yield from (last.recorded, all(answer.replayed for answer in asked.answers))


def _told(usages: list[Usage], name: str) -> int | None:
    told = [count for usage in usages if (count := getattr(usage, name)) is not None]
    return sum(told) if told else None
