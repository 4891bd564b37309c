"""The gold of a stream as JSON Lines: `gold.jsonl`, and a natural stream's log beside it."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import pairwise
from pathlib import Path

from routers.fields import Json
from sim.streams.lines import a_list, a_number, an_index, as_line, read_lines, required
from sim.streams.stream import (
    CAUSES,
    RELATIONS,
    Concern,
    Gold,
    Happening,
    Log,
    Stream,
    Truth,
)
from theory import BadInput

GOLD, FACTS, CHANGES = "gold.jsonl", "facts.jsonl", "changes.jsonl"
LOG = (FACTS, CHANGES)


def gold_lines(gold: Gold) -> Iterator[tuple[str, Iterator[str]]]:
    """The lines of each file that gold goes to."""
    yield GOLD, (as_line(_document(truth)) for truth in gold.truths.values())
    if gold.log is not None:
        yield FACTS, (as_line({"rate": rate}) for rate in gold.log.rates)
        yield CHANGES, (as_line(change._asdict()) for change in gold.log.changes)


def read_gold_files(folder: Path, stream: Stream) -> Gold:
    """The gold of a stream, in the stream's order; a decision without a line is refused."""
    log = _read_log(folder)
    reader = _TruthReader(stream, facts=len(log.rates) if log else 0)
    truths = {truth.decision: truth for truth in read_lines(folder / GOLD, reader.read)}
    for entry in stream.decisions:
        if entry.id not in truths:
            raise BadInput("decision", entry.id, "must have a line of gold").at(folder / GOLD)
    return Gold({entry.id: truths[entry.id] for entry in stream.decisions}, log)


def _document(truth: Truth) -> Json:
    document: dict[str, object] = {
        "decision": truth.decision,
        "label": truth.label,
        "kind": truth.kind,
        "notices": [{"id": each.notice, "relation": each.relation} for each in truth.notices],
    }
    if truth.cause is not None:
        document["cause"] = truth.cause
    if truth.facts:
        document["facts"] = list(truth.facts)
    return document


class _TruthReader:
    """Reads lines of gold, none for a decision that is unknown or has one already."""

    def __init__(self, stream: Stream, *, facts: int) -> None:
        self._missing = {entry.id for entry in stream.decisions}
        self._decisions = frozenset(self._missing)
        self._notices = {notice.id for notice in stream.notices}
        self._facts = facts

    def read(self, given: Json) -> Truth:
        decision, label = required(given, "decision"), required(given, "label")
        kind, cause = given.get("kind"), given.get("cause")
        if decision not in self._decisions:
            raise BadInput("decision", decision, "must be the id of a decision of the stream")
        if decision not in self._missing:
            raise BadInput("decision", decision, "must not be given twice")
        if label not in (0, 1) or isinstance(label, bool):
            raise BadInput("label", label, "must be 0 (stand) or 1 (change)")
        if not (kind is None or isinstance(kind, str)):
            raise BadInput("kind", kind, "must be a text")
        if not (cause is None or cause in CAUSES):
            raise BadInput("cause", cause, f"must be one of {', '.join(CAUSES)}")
        concerns = tuple(_concern(each, self._notices) for each in a_list(given, "notices"))
        for first, second in pairwise(sorted(each.notice for each in concerns)):
            if first == second:
                raise BadInput("notices", second, "must not name a notice twice")
        facts = tuple(
            an_index("facts", fact, self._facts, f"lines of {FACTS}")
            for fact in a_list(given, "facts")
        )
        self._missing.remove(decision)
        return Truth(decision, label, kind, concerns, cause, facts)


def _concern(given: object, notices: Set[str]) -> Concern:
    if not isinstance(given, dict):
        raise BadInput("notices", given, "must be a list of objects with id and relation")
    notice, relation = required(given, "id"), required(given, "relation")
    if notice not in notices:
        raise BadInput("notices", notice, "must be ids of notices of the stream")
    if relation not in RELATIONS:
        raise BadInput("relation", relation, f"must be one of {', '.join(RELATIONS)}")
    return Concern(notice, relation)


def _read_log(folder: Path) -> Log | None:
    """The log of a natural stream; None where there is none."""
    present = [name for name in LOG if (folder / name).is_file()]
    if not present:
        return None
    if len(present) < len(LOG):
        raise BadInput("stream", str(folder), f"must hold both {FACTS} and {CHANGES}, or neither")
    rates = tuple(read_lines(folder / FACTS, lambda given: a_number(given, "rate")))

    def change(given: Json) -> Happening:
        fact = an_index("fact", required(given, "fact"), len(rates), f"lines of {FACTS}")
        changed, published = a_number(given, "changed"), a_number(given, "published")
        return Happening(
            fact, required(given, "version"), changed, published, required(given, "notice")
        )

    return Log(rates, tuple(read_lines(folder / CHANGES, change)))
