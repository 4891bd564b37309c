"""New rows that wait to be written: many in one go take a fraction of the time of one by one.

They wait inside a transaction only, until anything is read or the transaction ends. Their documents
are made when they are written: to make a thousand and then to write a thousand is faster than to
take turns.
"""

from __future__ import annotations

from typing import TypeAlias

from routers.database import Database
from routers.entry import Entry
from routers.fields import dumps
from routers.notice import Notice

DeliveryRow: TypeAlias = tuple[int, int, float]
"""The `seq` of an entry, the `seq` of a notice, and the score."""

MOST = 5_000
"""Deliveries that wait at once; a notice may have one to every open entry."""


class Waiting:
    """The new rows of one ledger that are yet to be written."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._entries: list[tuple[int, Entry, float, str | None]] = []
        """`seq`, entry, when it was recorded, and its document if JSON might not hold it: unknown
        fields may be anything."""
        self._notices: list[tuple[int, Notice, float, str | None]] = []
        """`seq`, notice, when it came in, and its document likewise."""
        self._deliveries: list[DeliveryRow] = []

    def add_entry(self, seq: int, entry: Entry, *, at: float) -> None:
        """A new entry; refuses one that JSON cannot hold."""
        self._entries.append((seq, entry, at, _document(entry) if entry.extra else None))

    def add_notice(self, seq: int, notice: Notice, *, arrived: float) -> None:
        """A new notice; refuses one that JSON cannot hold."""
        self._notices.append((seq, notice, arrived, _document(notice) if notice.extra else None))

    def add_delivery(self, delivery: DeliveryRow) -> None:
        """A new delivery."""
        self._deliveries.append(delivery)
        if len(self._deliveries) == MOST:
            self.write()

    def write(self) -> None:
        """Write all that waits."""
        if self._entries:
            self._db.execute_many(
                "INSERT INTO entries (seq, id, decided, deadline, opened_at, document)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (seq, entry.id, entry.decided, entry.deadline, at, document or _document(entry))
                    for seq, entry, at, document in self._entries
                ],
            )
            self._entries.clear()
        if self._notices:
            self._db.execute_many(
                "INSERT INTO notices (seq, id, published, arrived, document)"
                " VALUES (?, ?, ?, ?, ?)",
                [
                    (seq, notice.id, notice.published, arrived, document or _document(notice))
                    for seq, notice, arrived, document in self._notices
                ],
            )
            self._notices.clear()
        if self._deliveries:
            self._db.execute_many(
                "INSERT INTO deliveries (entry, notice, score) VALUES (?, ?, ?)", self._deliveries
            )
            self._deliveries.clear()

    def drop(self) -> None:
        """Forget what waits, with the transaction."""
        self._entries.clear()
        self._notices.clear()
        self._deliveries.clear()


def _document(item: Entry | Notice) -> str:
    return dumps(item.to_json())
