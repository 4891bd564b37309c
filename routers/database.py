"""An SQLite file that belongs to a ledger: connecting, transactions, layouts, and its errors.

The journal is a write-ahead log, so that readers never wait. `synchronous=NORMAL` is the default:
a transaction is in the operating system's hands before it is acknowledged, so it survives the death
of the process at any moment, but the last ones may be lost, whole, where the machine itself loses
power. `full` waits for the disk at each transaction and survives that too.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

from routers.migrations import APPLICATION, LAYOUT, STEPS
from theory.errors import BadInput

Synchronous: TypeAlias = Literal["normal", "full"]

PATIENCE = 10.0
"""Seconds that a writer waits for another one."""

MEMORY = ":memory:"


class Database:
    """A ledger's file or memory. Every error of SQLite becomes a `BadInput` that names the file."""

    def __init__(self, path: str, *, synchronous: Synchronous = "normal") -> None:
        self.path = path
        if synchronous not in ("normal", "full"):
            raise BadInput("synchronous", synchronous, "must be normal or full")
        if path != MEMORY and Path(path).is_dir():
            raise BadInput("db", path, "must be a file, not a folder")
        with self._translated():
            # Threads are kept apart by the ledger's own lock.
            self._connection = sqlite3.connect(
                path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            try:
                self._recognise()
                self._prepare(synchronous)
                self._migrate()
            except BaseException:
                self._connection.close()
                raise

    def disconnect(self) -> None:
        """Let go of the file."""
        self._connection.close()

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

    def execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """Run a statement, inside a transaction."""
        return self._connection.execute(statement, values)

    def execute_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each row, inside a transaction."""
        self._connection.executemany(statement, rows)

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        with self._translated():
            self._connection.execute(begin)
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # SQLite may have undone it already, where the disk is full.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _recognise(self) -> None:
        """Refuse a file that is not a ledger, or one of a later layout."""
        application = self._pragma("application_id")
        if application == APPLICATION:
            if self._layout() > LAYOUT:
                rule = f"must have a layout up to {LAYOUT}: a newer version wrote it"
                raise BadInput("db", self.path, rule)
        elif (
            application
            or self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        ):
            raise BadInput("db", self.path, "must be a ledger, not another program's database")

    def _prepare(self, synchronous: Synchronous) -> None:
        self._connection.execute(f"PRAGMA synchronous = {synchronous}")
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        if self.path == MEMORY or self._pragma("journal_mode") == "wal":
            return
        # Changing the journal does not wait for another process that does the same.
        patience = time.monotonic() + PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = wal")
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
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self._connection.execute(f"PRAGMA user_version = {LAYOUT}")

    def _layout(self) -> int:
        return int(str(self._pragma("user_version")))

    def _pragma(self, name: str) -> object:
        return self._connection.execute(f"PRAGMA {name}").fetchone()[0]

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
