"""What models answered in a run, a row each distinct question: a table beside the calls.

Equal questions are asked once, whichever router led to them; what an answer cost stands here, and
each call names its question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from llm.asking import Asked
from llm.calls import Usage
from llm.model import ModelJudge
from llm.modes.mode import Found
from sim.columns import Rows, Schema

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
sums over all attempts and the repair, null where a server did not tell; `model` is as the server
reports it; `temperature` as requested, `temperature_sent` null where it was left out."""


def answers(judges: Sequence[ModelJudge], calls: pl.DataFrame) -> pl.DataFrame | None:
    """The answers that these judges got to the questions of the calls; None without judges."""
    if not judges:
        return None
    questions = set(calls["question"].drop_nulls())
    rows = Rows(ANSWERS)
    for judge in judges:
        for asked in judge.asked:
            if asked.request.digest in questions:
                rows.add(judge.name, *_row(asked))
    return rows.frame()


def _row(asked: Asked[Found]) -> Iterator[object]:
    """The values of a row after the judge."""
    last = asked.answers[-1]
    attempts = [attempt for answer in asked.answers for attempt in answer.attempts]
    choice = "keep" if asked.found is None else asked.found.choice
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
