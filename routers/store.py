"""A ledger's rows: what is kept of entries, notices and deliveries, and the queries on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Cursor
from typing import NamedTuple, TypeAlias

from routers.database import Database, Synchronous
from routers.entry import Entry
from routers.fields import dumps, loads, restore
from routers.notice import Notice
from routers.times import TimeKind
from routers.waiting import Waiting


@dataclass
class State:
    """The one row that says what a ledger is and how far it has come."""

    router: str
    """The router's name."""
    k: int
    """The most deliveries of one notice."""
    epoch: str
    """Where hours count from, ISO 8601."""
    times: TimeKind | None = None
    """How times are written, `number` or `iso`; None until the first is."""
    seq: int = 0
    """The number of the latest change."""
    latest: float | None = None
    """The latest `decided` or `published` seen, in hours."""
    forgotten: float | None = None
    """Up to when notices were dropped, in hours."""
    encoder: str | None = None
    """The encoder's name and the hashes of its files, in JSON; None for a router without one."""

    def next(self) -> int:
        """The number of a new change."""
        self.seq += 1
        return self.seq

    def latest_with(self, time: float) -> float:
        """The latest time seen, this one included."""
        return time if self.latest is None or time > self.latest else self.latest


class EntryRow(NamedTuple):
    """An entry as it is stored; `_at` are hours on the ledger's clock."""

    seq: int
    id: str
    decided: float
    deadline: float
    document: str
    opened_at: float
    ended: int | None
    """The change that ended routing: its judge being asked, its verdict, or its being closed."""
    verdict: str | None
    answered_at: float | None
    confirmed_at: float | None
    closed_at: float | None
    received: int
    """How many notices were delivered to it."""

    def entry(self, epoch: datetime) -> Entry:
        """The entry itself."""
        return restore(Entry, loads(self.document), epoch=epoch)


class NoticeRow(NamedTuple):
    """A notice as it is stored."""

    seq: int
    id: str
    published: float
    arrived: float
    """What the ledger's clock said when it came in, or `published` where that is later."""
    document: str

    def notice(self, epoch: datetime) -> Notice:
        """The notice itself."""
        return restore(Notice, loads(self.document), epoch=epoch)


AnswerRow: TypeAlias = tuple[int, str, float, int]
"""The change that gave a verdict, the verdict, when it was given, and the `seq` of the entry."""


class Store:
    """The rows of one ledger; all of it is called inside a transaction.

    New entries, notices and deliveries are written in bulk, before anything else is done.
    """

    def __init__(self, path: str, *, synchronous: Synchronous = "normal") -> None:
        self.path = path
        self._db = Database(path, synchronous=synchronous)
        self._waiting = Waiting(self._db)
        self.add_entry = self._waiting.add_entry
        self.add_notice = self._waiting.add_notice
        self.add_delivery = self._waiting.add_delivery
        self.reading = self._db.reading
        self.disconnect = self._db.disconnect

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction that holds the file's only writing place; undone on any exception."""
        with self._db.writing():
            try:
                yield
                self._waiting.write()
            finally:
                self._waiting.drop()

    def state(self) -> State | None:
        """What the ledger is; None while it is new."""
        row = self._execute(
            "SELECT router, k, epoch, times, seq, latest, forgotten, encoder FROM ledger"
        ).fetchone()
        return None if row is None else State(*row)

    def create(self, state: State) -> None:
        """Say what a new ledger is."""
        self._execute(
            "INSERT INTO ledger (router, k, epoch, seq, encoder) VALUES (?, ?, ?, ?, ?)",
            (state.router, state.k, state.epoch, state.seq, state.encoder),
        )

    def save(self, state: State) -> None:
        """Keep how far the ledger has come."""
        self._execute(
            "UPDATE ledger SET times = ?, seq = ?, latest = ?, forgotten = ?",
            (state.times, state.seq, state.latest, state.forgotten),
        )

    def end(self, entry: int, *, ended: int) -> None:
        """Keep that no more news is routed to an entry."""
        self._execute("UPDATE entries SET ended = coalesce(ended, ?) WHERE seq = ?", (ended, entry))

    def answer(self, answers: Iterable[AnswerRow]) -> None:
        """Keep entries' verdicts; their routing may have ended before."""
        self._waiting.write()
        self._db.execute_many(
            "UPDATE entries SET ended = coalesce(ended, ?), verdict = ?, answered_at = ?"
            " WHERE seq = ?",
            answers,
        )

    def confirm(self, entry: int, *, at: float) -> None:
        """Keep a person's word on an entry's verdict."""
        self._execute("UPDATE entries SET confirmed_at = ? WHERE seq = ?", (at, entry))

    def close(self, entry: int, *, ended: int, at: float) -> None:
        """Keep that an entry was closed; a verdict has ended its routing before."""
        self._execute(
            "UPDATE entries SET ended = coalesce(ended, ?), closed_at = ? WHERE seq = ?",
            (ended, at, entry),
        )

    def entry(self, entry_id: str) -> EntryRow | None:
        """The entry of this id."""
        return next(self._entries("WHERE id = ?", entry_id), None)

    def entries_named(self, ids: Sequence[str]) -> Iterator[EntryRow]:
        """The entries of these ids."""
        return self._entries(_NAMED, dumps(ids)) if ids else iter(())

    def entries(self) -> Iterator[EntryRow]:
        """Every entry, in the order in which they were recorded."""
        return self._entries("ORDER BY seq")

    def entries_due(self, first: float, last: float) -> Iterator[EntryRow]:
        """Entries not asked about or ended whose deadline lies between, ends included."""
        return self._entries(
            "WHERE ended IS NULL AND deadline BETWEEN ? AND ? ORDER BY deadline, id", first, last
        )

    def entries_open(self, now: float) -> Iterator[tuple[int, str]]:
        """The `seq` and document of entries without a verdict whose deadline is not past."""
        return self._execute(
            "SELECT seq, document FROM entries WHERE ended IS NULL AND deadline >= ?", (now,)
        )

    def entries_opened_since(self, seq: int) -> Iterator[tuple[int, str]]:
        """The `seq` and document of entries recorded after this change that have not ended."""
        return self._execute(
            "SELECT seq, document FROM entries WHERE seq > ? AND ended IS NULL", (seq,)
        )

    def entries_ended_since(self, seq: int) -> list[str]:
        """Ids of entries that ended after this change."""
        found = self._execute("SELECT id FROM entries WHERE ended > ?", (seq,))
        return [entry_id for (entry_id,) in found]

    def entries_that_vary(
        self, decided: tuple[float, float], deadline: tuple[float, float], ended: int
    ) -> list[EntryRow]:
        """Entries decided in one half-open interval, or due in the other, or ended since."""
        return list(
            self._entries(
                "WHERE (decided >= ? AND decided < ?)"
                " OR (ended IS NULL AND deadline >= ? AND deadline < ?) OR ended > ?",
                *decided,
                *deadline,
                ended,
            )
        )

    def notices_named(self, ids: Sequence[str]) -> Iterator[NoticeRow]:
        """The notices of these ids."""
        return self._notices(_NAMED, dumps(ids)) if ids else iter(())

    def notices_between(self, after: float, until: float) -> list[NoticeRow]:
        """Notices published in the half-open interval `(after, until]`, in that order."""
        return list(
            self._notices(
                "WHERE published > ? AND published <= ? ORDER BY published, id", after, until
            )
        )

    def received(self, entry: int) -> list[tuple[NoticeRow, float]]:
        """The notices delivered to an entry with their scores, in order of publication."""
        rows = self._execute(
            f"SELECT {_NOTICE}, score FROM deliveries JOIN notices ON notices.seq = notice"
            " WHERE entry = ? ORDER BY published, id",
            (entry,),
        )
        return [(NoticeRow(*row[:-1]), row[-1]) for row in rows]

    def forget(self, until: float, *, now: float) -> int:
        """Drop notices published up to `until` that wait in no entry; returns how many."""
        dropped = self._execute(
            "DELETE FROM notices WHERE published <= ? AND seq NOT IN ("
            "SELECT notice FROM deliveries JOIN entries ON entries.seq = entry"
            " WHERE deadline >= ? AND closed_at IS NULL)",
            (until, now),
        )
        self._execute("DELETE FROM deliveries WHERE notice NOT IN (SELECT seq FROM notices)")
        return dropped.rowcount

    def _execute(self, statement: str, values: Sequence[object] = ()) -> Cursor:
        self._waiting.write()
        return self._db.execute(statement, values)

    def _entries(self, where: str, *values: object) -> Iterator[EntryRow]:
        rows = self._execute(f"SELECT {_ENTRY} FROM entries {where}", values)
        return map(EntryRow._make, rows)

    def _notices(self, where: str, *values: object) -> Iterator[NoticeRow]:
        rows = self._execute(f"SELECT {_NOTICE} FROM notices {where}", values)
        return map(NoticeRow._make, rows)


_NAMED = "WHERE id IN (SELECT value FROM json_each(?))"
_RECEIVED = "(SELECT count(*) FROM deliveries WHERE entry = entries.seq)"
_ENTRY = ", ".join((*EntryRow._fields[:-1], _RECEIVED))
_NOTICE = ", ".join(f"notices.{name}" for name in NoticeRow._fields)
