-- A ledger as layout 1 wrote it: d2 was recorded and answered, d1 is open and received n1.
PRAGMA application_id = 1650614124;
PRAGMA user_version = 1;
CREATE TABLE ledger (
    router TEXT NOT NULL, k INTEGER NOT NULL, epoch TEXT NOT NULL, times TEXT,
    seq INTEGER NOT NULL, latest REAL
);
INSERT INTO ledger VALUES ('name', 2, '2026-01-01T00:00:00+00:00', 'number', 5, 4.0);
CREATE TABLE entries (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, decided REAL NOT NULL, deadline REAL NOT NULL,
    document TEXT NOT NULL, opened_at REAL NOT NULL, ended INTEGER, verdict TEXT, answered_at REAL,
    confirmed_at REAL, closed_at REAL
);
CREATE INDEX entries_by_decided ON entries (decided);
CREATE INDEX entries_by_deadline ON entries (deadline);
CREATE INDEX entries_by_ended ON entries (ended) WHERE ended IS NOT NULL;
INSERT INTO entries VALUES (
    1, 'd1', 0.0, 10.0,
    '{"id":"d1","decided":0.0,"deadline":10.0,"options":["Old Mill"],"text":"Meet","tag":1}',
    0.0, NULL, NULL, NULL, NULL, NULL
);
INSERT INTO entries VALUES (
    2, 'd2', 1.0, 9.0, '{"id":"d2","decided":1.0,"deadline":9.0,"options":["Quay"],"text":"Meet"}',
    1.0, 4, '{"choice":"keep","reason":""}', 3.0, NULL, NULL
);
CREATE TABLE notices (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, published REAL NOT NULL, document TEXT NOT NULL
);
CREATE INDEX notices_by_published ON notices (published);
INSERT INTO notices VALUES (3, 'n1', 3.0, '{"id":"n1","published":3.0,"text":"Old Mill closed"}');
INSERT INTO notices VALUES (5, 'n2', 4.0, '{"id":"n2","published":4.0,"text":"Mill Lane closed"}');
CREATE TABLE deliveries (
    entry INTEGER NOT NULL REFERENCES entries, notice INTEGER NOT NULL REFERENCES notices,
    score REAL NOT NULL, PRIMARY KEY (entry, notice)
) WITHOUT ROWID;
INSERT INTO deliveries VALUES (1, 3, 1.0);
