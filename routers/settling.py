"""What becomes of a ledger's entries: asked about, answered, confirmed, closed, and told of."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import NamedTuple, TypeAlias

from routers.clock import Clock, or_never
from routers.fields import Json, dumps, loads
from routers.records import Record, Standing
from routers.routing import Routing
from routers.store import AnswerRow, EntryRow, State, Store
from routers.verdict import Verdict
from theory.errors import BadInput

BLOCK = 1_000
"""Verdicts that are looked up and written together."""

Answer: TypeAlias = tuple[str, Verdict | Json]
"""The id of an entry, and its verdict."""


class Settling:
    """Settles the entries of one store; all of it is called inside a transaction."""

    def __init__(self, store: Store, routing: Routing, clock: Clock, epoch: datetime) -> None:
        self._store = store
        self._routing = routing
        self._clock = clock
        self._epoch = epoch

    def end_routing(self, state: State, entry_id: str) -> None:
        """Let no more news reach an open entry."""
        row, _ = self._find(state, entry_id, "open")
        self._store.end(row.seq, ended=state.next())
        self._routing.ended(entry_id)

    def decide(self, state: State, answers: Iterable[Answer], decided: list[Record]) -> None:
        """Give open entries their verdicts; where one is refused, those before it stay."""
        answers, more = iter(answers), True
        while more:
            block: list[_Given] = []
            try:
                for entry_id, given in islice(answers, BLOCK):
                    verdict = given if isinstance(given, Verdict) else Verdict.from_json(given)
                    document = dumps(verdict.to_json(), field="verdict")
                    block.append(_Given(entry_id, verdict, document, self._clock.reading()))
            finally:
                self._decide(state, block, decided)
            more = len(block) == BLOCK

    def confirm(self, state: State, entry_id: str) -> Record:
        """Give a person's word to a switch that waits for it."""
        row, before = self._find(state, entry_id, "waiting")
        self._store.confirm(row.seq, at=before.now)
        return before._replace(confirmed_at=before.now)

    def close(self, state: State, entry_id: str) -> Record:
        """Withdraw an open or waiting entry."""
        row, before = self._find(state, entry_id, "open", "waiting")
        self._store.close(row.seq, ended=state.next(), at=before.now)
        self._routing.ended(entry_id)
        return before._replace(closed_at=before.now)

    def row(self, entry_id: str) -> EntryRow:
        """The entry of this id, which must be there."""
        return _there(self._store.entry(entry_id) if isinstance(entry_id, str) else None, entry_id)

    def record(self, row: EntryRow, now: float) -> Record:
        """What became of an entry."""
        return Record(
            entry=row.entry(self._epoch),
            verdict=None if row.verdict is None else Verdict.from_json(loads(row.verdict)),
            opened_at=row.opened_at,
            answered_at=row.answered_at,
            confirmed_at=row.confirmed_at,
            closed_at=row.closed_at,
            received=row.received,
            now=now,
        )

    def _decide(self, state: State, block: list[_Given], decided: list[Record]) -> None:
        ids = [given.entry for given in block if isinstance(given.entry, str)]
        rows = {row.id: row for row in self._store.entries_named(ids)}
        done: dict[str, Record] = {}
        written: list[AnswerRow] = []
        try:
            for entry_id, verdict, document, reading in block:
                row = _there(rows.get(entry_id) if isinstance(entry_id, str) else None, entry_id)
                now = self._clock.now(state.times, or_never(state.latest), reading)
                after = done.get(entry_id)
                before = self.record(row, now) if after is None else after._replace(now=now)
                _check_standing(before, "open")
                written.append((state.next(), document, now, row.seq))
                self._routing.ended(entry_id)
                done[entry_id] = before._replace(verdict=verdict, answered_at=now)
                decided.append(done[entry_id])
        finally:
            self._store.answer(written)

    def _find(self, state: State, entry_id: str, *allowed: Standing) -> tuple[EntryRow, Record]:
        """An entry that stands in one of the `allowed` ways, and its record."""
        row = self.row(entry_id)
        latest = or_never(state.latest)
        record = self.record(row, self._clock.now(state.times, latest, self._clock.reading()))
        _check_standing(record, *allowed)
        return row, record


class _Given(NamedTuple):
    """A verdict that was given."""

    entry: str
    verdict: Verdict
    document: str
    reading: float | None
    """What the ledger's clock said then."""


def _there(row: EntryRow | None, entry_id: str) -> EntryRow:
    if row is None:
        raise BadInput("entry", entry_id, "must be the id of an entry in this ledger")
    return row


def _check_standing(record: Record, *allowed: Standing) -> None:
    if record.state not in allowed:
        rule = f"must be {' or '.join(allowed)}: it {record.story}"
        raise BadInput("entry", record.entry.id, rule)
