"""The layouts of a ledger's file, oldest first: a new file takes every step, an older one the rest.

A step that has been published is never changed; a new layout is a new step at the end.
"""

from __future__ import annotations

APPLICATION = 0x62625F6C
"""Marks an SQLite file as a ledger ("bb_l")."""

# 1: entries, notices and deliveries. `seq` counts every change, so that whoever holds an index
# knows what it has not taken in. Documents are kept as JSON; times beside them are hours.
_ENTRIES_NOTICES_DELIVERIES = (
    """
    CREATE TABLE ledger (
        router TEXT NOT NULL,
        k INTEGER NOT NULL,
        epoch TEXT NOT NULL,
        times TEXT,
        seq INTEGER NOT NULL,
        latest REAL
    )
    """,
    """
    CREATE TABLE entries (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        decided REAL NOT NULL,
        deadline REAL NOT NULL,
        document TEXT NOT NULL,
        opened_at REAL NOT NULL,
        ended INTEGER,
        verdict TEXT,
        answered_at REAL,
        confirmed_at REAL,
        closed_at REAL
    )
    """,
    "CREATE INDEX entries_by_decided ON entries (decided)",
    "CREATE INDEX entries_by_deadline ON entries (deadline)",
    "CREATE INDEX entries_by_ended ON entries (ended) WHERE ended IS NOT NULL",
    """
    CREATE TABLE notices (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        published REAL NOT NULL,
        document TEXT NOT NULL
    )
    """,
    "CREATE INDEX notices_by_published ON notices (published)",
    """
    CREATE TABLE deliveries (
        entry INTEGER NOT NULL REFERENCES entries,
        notice INTEGER NOT NULL REFERENCES notices,
        score REAL NOT NULL,
        PRIMARY KEY (entry, notice)
    ) WITHOUT ROWID
    """,
)

# 2: when each notice came in, so that a late entry is routed among those that were open then, and
# up to when notices were dropped.
_ARRIVAL_AND_FORGETTING = (
    "ALTER TABLE notices ADD COLUMN arrived REAL",
    "UPDATE notices SET arrived = published",
    "ALTER TABLE ledger ADD COLUMN forgotten REAL",
)

# 3: the encoder of a dense router, by its name and the hashes of its files.
_ENCODER = ("ALTER TABLE ledger ADD COLUMN encoder TEXT",)

STEPS = (_ENTRIES_NOTICES_DELIVERIES, _ARRIVAL_AND_FORGETTING, _ENCODER)

LAYOUT = len(STEPS)
"""The layout that this version reads and writes."""
