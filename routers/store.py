"""A ledger's rows in SQLite, in a file or in memory: transactions, layouts and queries, no rules.

The journal is a write-ahead log, so that readers never wait. `synchronous=NORMAL` is the default:
a transaction is in the operating system's hands before it is acknowledged, so it survives the death
of the process at any moment, but the last ones may be lost, whole, where the machine itself loses
power. `full` waits for the disk at each transaction and survives that too.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from routers.entry import Entry
from routers.migrations import APPLICATION, LAYOUT, STEPS
from routers.notice import Notice
from routers.times import TimeKind
from theory.errors import BadInput

Synchronous: TypeAlias = Literal["normal", "full"]

PATIENCE = 10.0
"""Seconds that a writer waits for another one."""

MEMORY = ":memory:"


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


class NoticeRow(NamedTuple):
    """A notice as it is stored."""

    seq: int
    id: str
    published: float
    arrived: float
    """What the ledger's clock said when it came in, or `published` where that is later."""
    document: str


DeliveryRow: TypeAlias = tuple[int, int, float]
"""The `seq` of an entry, the `seq` of a notice, and the score."""


class Store:
    """A ledger's file. Every error of SQLite becomes a `BadInput` that names the file."""

    def __init__(self, path: str, *, synchronous: Synchronous = "normal") -> None:
        self.path = path
        if synchronous not in ("normal", "full"):
            raise BadInput("synchronous", synchronous, "must be normal or full")
        if path != MEMORY and Path(path).is_dir():
            raise BadInput("db", path, "must be a file, not a folder")
        with self._translated():
            # Threads are kept apart by the ledger's own lock.
            self._db = sqlite3.connect(
                path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            try:
                self._recognise()
                self._prepare(synchronous)
                self._migrate()
            except BaseException:
                self._db.close()
                raise

    def disconnect(self) -> None:
        """Let go of the file."""
        self._db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction that holds the file's only writing place; undone on any exception."""
        with self._transaction("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One look at the file as it is at this moment."""
        with self._transaction("BEGIN"):
            yield

    def state(self) -> State | None:
        """What the ledger is; None while it is new."""
        row = self._db.execute(
            "SELECT router, k, epoch, times, seq, latest, forgotten FROM ledger"
        ).fetchone()
        return None if row is None else State(*row)

    def create(self, state: State) -> None:
        """Say what a new ledger is."""
        self._db.execute(
            "INSERT INTO ledger (router, k, epoch, seq) VALUES (?, ?, ?, ?)",
            (state.router, state.k, state.epoch, state.seq),
        )

    def save(self, state: State) -> None:
        """Keep how far the ledger has come."""
        self._db.execute(
            "UPDATE ledger SET times = ?, seq = ?, latest = ?, forgotten = ?",
            (state.times, state.seq, state.latest, state.forgotten),
        )

    def add_entry(self, seq: int, entry: Entry, document: str, *, at: float) -> None:
        """Keep a new entry."""
        self._db.execute(
            "INSERT INTO entries (seq, id, decided, deadline, document, opened_at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (seq, entry.id, entry.decided, entry.deadline, document, at),
        )

    def add_notice(self, seq: int, notice: Notice, document: str, *, arrived: float) -> None:
        """Keep a new notice."""
        self._db.execute(
            "INSERT INTO notices (seq, id, published, arrived, document) VALUES (?, ?, ?, ?, ?)",
            (seq, notice.id, notice.published, arrived, document),
        )

    def add_deliveries(self, deliveries: Iterable[DeliveryRow]) -> None:
        """Keep deliveries."""
        self._db.executemany(
            "INSERT INTO deliveries (entry, notice, score) VALUES (?, ?, ?)", deliveries
        )

    def end(self, entry: int, *, ended: int) -> None:
        """Keep that no more news is routed to an entry."""
        self._db.execute(
            "UPDATE entries SET ended = coalesce(ended, ?) WHERE seq = ?", (ended, entry)
        )

    def answer(self, entry: int, *, ended: int, verdict: str, at: float) -> None:
        """Keep an entry's verdict; its routing may have ended before."""
        self._db.execute(
            "UPDATE entries SET ended = coalesce(ended, ?), verdict = ?, answered_at = ?"
            " WHERE seq = ?",
            (ended, verdict, at, entry),
        )

    def confirm(self, entry: int, *, at: float) -> None:
        """Keep a person's word on an entry's verdict."""
        self._db.execute("UPDATE entries SET confirmed_at = ? WHERE seq = ?", (at, entry))

    def close(self, entry: int, *, ended: int, at: float) -> None:
        """Keep that an entry was closed; a verdict has ended its routing before."""
        self._db.execute(
            "UPDATE entries SET ended = coalesce(ended, ?), closed_at = ? WHERE seq = ?",
            (ended, at, entry),
        )

    def entry(self, entry_id: str) -> EntryRow | None:
        """The entry of this id."""
        return next(self._entries("WHERE id = ?", entry_id), None)

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
        return self._db.execute(
            "SELECT seq, document FROM entries WHERE ended IS NULL AND deadline >= ?", (now,)
        )

    def entries_opened_since(self, seq: int) -> Iterator[tuple[int, str]]:
        """The `seq` and document of entries recorded after this change that have not ended."""
        return self._db.execute(
            "SELECT seq, document FROM entries WHERE seq > ? AND ended IS NULL", (seq,)
        )

    def entries_ended_since(self, seq: int) -> list[str]:
        """Ids of entries that ended after this change."""
        found = self._db.execute("SELECT id FROM entries WHERE ended > ?", (seq,))
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

    def notice(self, notice_id: str) -> NoticeRow | None:
        """The notice of this id."""
        return next(self._notices("WHERE id = ?", notice_id), None)

    def notices_between(self, after: float, until: float) -> list[NoticeRow]:
        """Notices published in the half-open interval `(after, until]`, in that order."""
        return list(
            self._notices(
                "WHERE published > ? AND published <= ? ORDER BY published, id", after, until
            )
        )

    def received(self, entry: int) -> list[tuple[NoticeRow, float]]:
        """The notices delivered to an entry with their scores, in order of publication."""
        rows = self._db.execute(
            f"SELECT {_NOTICE}, score FROM deliveries JOIN notices ON notices.seq = notice"
            " WHERE entry = ? ORDER BY published, id",
            (entry,),
        )
        return [(NoticeRow(*row[:-1]), row[-1]) for row in rows]

    def count_received(self, entry: int) -> int:
        """How many notices were delivered to an entry."""
        row = self._db.execute("SELECT count(*) FROM deliveries WHERE entry = ?", (entry,))
        return int(row.fetchone()[0])

    def forget(self, until: float, *, now: float) -> int:
        """Drop notices published up to `until` that wait in no entry; returns how many."""
        dropped = self._db.execute(
            "DELETE FROM notices WHERE published <= ? AND seq NOT IN ("
            "SELECT notice FROM deliveries JOIN entries ON entries.seq = entry"
            " WHERE deadline >= ? AND closed_at IS NULL)",
            (until, now),
        )
        self._db.execute("DELETE FROM deliveries WHERE notice NOT IN (SELECT seq FROM notices)")
        return dropped.rowcount

    def _entries(self, where: str, *values: object) -> Iterator[EntryRow]:
        rows = self._db.execute(f"SELECT {_ENTRY} FROM entries {where}", values)
        return map(EntryRow._make, rows)

    def _notices(self, where: str, *values: object) -> Iterator[NoticeRow]:
        rows = self._db.execute(f"SELECT {_NOTICE} FROM notices {where}", values)
        return map(NoticeRow._make, rows)

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        with self._translated():
            self._db.execute(begin)
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                # SQLite may have undone it already, where the disk is full.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _recognise(self) -> None:
        """Refuse a file that is not a ledger, or one of a later layout."""
        application = self._pragma("application_id")
        if application == APPLICATION:
            if self._layout() > LAYOUT:
                rule = f"must have a layout up to {LAYOUT}: a newer version wrote it"
                raise BadInput("db", self.path, rule)
        elif application or self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise BadInput("db", self.path, "must be a ledger, not another program's database")

    def _prepare(self, synchronous: Synchronous) -> None:
        self._db.execute(f"PRAGMA synchronous = {synchronous}")
        self._db.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        if self.path == MEMORY or self._pragma("journal_mode") == "wal":
            return
        # Changing the journal does not wait for another process that does the same.
        patience = time.monotonic() + PATIENCE
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = wal")
                return
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > patience:
                    raise
                time.sleep(0.01)

    def _migrate(self) -> None:
        """Take the steps that the file lacks, all of them or none."""
        if self._layout() == LAYOUT:
            return
        with self.writing():
            # Another process may have been faster.
            for step in STEPS[self._layout() :]:
                for statement in step:
                    self._db.execute(statement)
            self._db.execute(f"PRAGMA application_id = {APPLICATION}")
            self._db.execute(f"PRAGMA user_version = {LAYOUT}")

    def _layout(self) -> int:
        return int(str(self._pragma("user_version")))

    def _pragma(self, name: str) -> object:
        return self._db.execute(f"PRAGMA {name}").fetchone()[0]

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            rule = _RULES.get(_code(error)) or f"could not be used: {error}"
            raise BadInput("db", self.path, rule) from error


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 where the error is Python's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


_CHECKPOINT_PAGES = 4_000  # 16 MB of journal: one wait for the disk in about a thousand publishes

_ENTRY = ", ".join(EntryRow._fields)
_NOTICE = ", ".join(f"notices.{name}" for name in NoticeRow._fields)

_RULES = {
    sqlite3.SQLITE_NOTADB: "must be a ledger: this file is not a database",
    sqlite3.SQLITE_CORRUPT: "must be a whole ledger: this file is damaged",
    sqlite3.SQLITE_BUSY: "must be free: another process has held it locked for too long",
    sqlite3.SQLITE_LOCKED: "must be free: another connection holds it locked",
    sqlite3.SQLITE_READONLY: "must be writable: it is read-only",
    sqlite3.SQLITE_PERM: "must be readable and writable",
    sqlite3.SQLITE_CANTOPEN: "must lie in a folder that exists and can be written to",
    sqlite3.SQLITE_FULL: "could not be written: the disk is full",
    sqlite3.SQLITE_IOERR: "could not be read or written: the disk failed or is full",
    sqlite3.SQLITE_TOOBIG: "must hold shorter documents",
}
