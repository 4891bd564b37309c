"""The ledger's file: its layouts, and what it says of files that it cannot use."""

import os
import resource
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import pytest

from routers import Ledger, database
from routers.migrations import APPLICATION, LAYOUT
from theory.errors import BadInput

ENTRY = {"id": "d9", "decided": 2.0, "deadline": 20.0, "options": ["Mill Lane"], "text": "Meet"}
LAYOUT_1 = Path(__file__).with_name("ledger_layout_1.sql")


def notice(name, published=15.0, text="The Old Mill is closed"):
    return {"id": name, "published": published, "text": text}


def _pragma(file, name):
    with sqlite3.connect(file) as db:
        value = db.execute(f"PRAGMA {name}").fetchone()[0]
    db.close()
    return value


def _schema(file):
    with sqlite3.connect(file) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master ORDER BY name")]
        columns = {
            name: [row[1:] for row in db.execute(f"PRAGMA table_info({name})")] for name in tables
        }
    db.close()
    return columns


@pytest.fixture
def layout_1(tmp_path):
    file = tmp_path / "old.db"
    with sqlite3.connect(file) as db:
        db.executescript(LAYOUT_1.read_text())
    db.close()
    return file


def test_a_new_file_is_marked_as_a_ledger_of_this_layout(tmp_path):
    file = tmp_path / "new.db"
    Ledger(file, router="name").disconnect()
    assert _pragma(file, "application_id") == APPLICATION
    assert _pragma(file, "user_version") == LAYOUT
    assert _pragma(file, "journal_mode") == "wal"


def test_an_older_layout_is_migrated_with_all_that_it_holds(layout_1, tmp_path):
    with Ledger(layout_1) as ledger:
        assert [(it.entry.id, it.state, it.received) for it in ledger.records()] == [
            ("d1", "open", 1),
            ("d2", "decided", 0),
        ]
        assert ledger.history("d1").record.entry.extra == {"tag": 1}
        assert ledger.now() == 4.0
        assert [it.notice for it in ledger.open(ENTRY)] == ["n2"], "the stored notice is routed"
        assert [it.entry for it in ledger.publish(notice("n3", 5.0))] == ["d1"]
        assert ledger.forget(4.0) == 0
    Ledger(tmp_path / "new.db").disconnect()
    assert _schema(layout_1) == _schema(tmp_path / "new.db")
    assert _pragma(layout_1, "user_version") == LAYOUT
    with Ledger(layout_1) as ledger:
        assert len(ledger.records()) == 3


def test_a_migration_that_fails_leaves_the_file_as_it_was(layout_1, monkeypatch):
    broken = (*database.STEPS[:-1], (*database.STEPS[-1], "CREATE TABLE notices (seq)"))
    monkeypatch.setattr(database, "STEPS", broken)
    with pytest.raises(BadInput, match="could not be used: table notices already exists"):
        Ledger(layout_1)
    assert _pragma(layout_1, "user_version") == 1
    assert "forgotten" not in str(_schema(layout_1))
    monkeypatch.undo()
    with Ledger(layout_1) as ledger:
        assert len(ledger.records()) == 2


def test_a_newer_layout_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "new.db"
    Ledger(file, router="name").disconnect()
    with sqlite3.connect(file) as db:
        db.execute(f"PRAGMA user_version = {LAYOUT + 1}")
    db.close()
    before = file.read_bytes()
    with pytest.raises(BadInput, match=rf"db.* must have a layout up to {LAYOUT}: a newer version"):
        Ledger(file, router="name")
    assert file.read_bytes() == before


def test_what_is_not_a_ledger_is_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database at all\n" * 100)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE people (name)")
    db.close()
    for file, says in ((text, "this file is not a database"), (other, "another program's")):
        before = file.read_bytes()
        with pytest.raises(BadInput, match=f"db.* must be a ledger.*{says}"):
            Ledger(file, router="name")
        assert file.read_bytes() == before
        assert sorted(tmp_path.iterdir()) == [text, other]


def test_an_empty_file_becomes_a_ledger(tmp_path):
    file = tmp_path / "empty.db"
    file.touch()
    with Ledger(file, router="name") as ledger:
        assert ledger.records() == []


def test_a_damaged_ledger_is_refused(tmp_path):
    file = tmp_path / "a.db"
    with Ledger(file, router="name") as ledger:
        ledger.publish_many(notice(f"n{i}", float(i), "x" * 500) for i in range(200))
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)
    with pytest.raises(BadInput, match=r"db.* must be a whole ledger: this file is damaged"):
        Ledger(file, router="name")


def test_a_ledger_that_lost_its_first_row_is_refused(tmp_path):
    file = tmp_path / "a.db"
    with Ledger(file, router="name") as ledger:
        with sqlite3.connect(file) as db:
            db.execute("DELETE FROM ledger")
        db.close()
        with pytest.raises(BadInput, match=r"db.* must be a whole ledger"):
            ledger.publish(notice("n1"))


def test_a_folder_and_a_file_in_no_folder_are_refused(tmp_path):
    with pytest.raises(BadInput, match=r"db.* must be a file, not a folder"):
        Ledger(tmp_path)
    with pytest.raises(BadInput, match=r"db.* must lie in a folder that exists"):
        Ledger(tmp_path / "nowhere" / "a.db")
    with pytest.raises(BadInput, match=r"synchronous\(=off\) must be normal or full"):
        Ledger(tmp_path / "a.db", synchronous="off")


def test_a_locked_ledger_is_waited_for_and_then_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    file = tmp_path / "a.db"
    with Ledger(file, router="name") as ledger, Ledger(file) as other:
        ledger.open(ENTRY)
        with other.batch():
            assert [it.state for it in ledger.records()] == ["open"], "readers never wait"
            with pytest.raises(BadInput, match=r"db.* must be free: another process has held it"):
                ledger.publish(notice("n1"))
        assert ledger.publish(notice("n1")) == []
        assert len(other.publish(notice("n2", text="Mill Lane"))) == 1


def _publish_until_refused(ledger, kept):
    for number in range(1_000):
        ledger.publish(notice(f"n{number}", 3.0, "Mill Lane " * 100))
        kept.append(f"n{number}")


def test_a_full_disk_refuses_what_does_not_fit_and_keeps_the_rest(tmp_path):
    """Under a limit to file sizes, which SQLite sees as a disk that takes no more."""
    file = tmp_path / "a.db"
    kept = []
    with Ledger(file, router="name") as ledger:
        ledger.open(ENTRY)
        size = file.with_name("a.db-wal").stat().st_size
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200_000, hard))
        try:
            with pytest.raises(BadInput, match=r"db.* could not be .*full"):
                _publish_until_refused(ledger, kept)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert 5 < len(kept) < 900
        assert sorted(it.id for it in ledger.notices("d9")) == sorted(kept)
        assert len(ledger.publish(notice(f"n{len(kept)}", 3.0, "Mill Lane"))) == 1, "room again"
    with Ledger(file, router="name") as ledger:
        assert len(ledger.notices("d9")) == len(kept) + 1


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of half a megabyte, where mounting is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("mounting needs root")
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_disk_that_is_really_full(tiny_disk):
    file = tiny_disk / "a.db"
    kept = []
    with Ledger(file, router="name") as ledger:
        ledger.open(ENTRY)
        with pytest.raises(BadInput, match=r"db.* could not be .*full"):
            _publish_until_refused(ledger, kept)
        assert sorted(it.id for it in ledger.notices("d9")) == sorted(kept)
    with Ledger(file, router="name") as ledger:
        assert sorted(it.id for it in ledger.notices("d9")) == sorted(kept)


def _publish_into(file):
    with Ledger(file, router="name") as ledger:
        ledger.publish(notice("n1"))


def test_a_read_only_disk(tiny_disk):
    file = tiny_disk / "a.db"
    with Ledger(file, router="name") as ledger:
        ledger.open(ENTRY)
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)
    for name in ("a.db", "b.db"):
        with pytest.raises(BadInput, match=r"db.* must (be writable|lie in a folder that exists)"):
            _publish_into(tiny_disk / name)


@pytest.fixture
def without_rights():
    """A folder that this process may read and not write to, as nobody where it is root's."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Ledger(folder / "a.db") as ledger:
            ledger.open(ENTRY)
        (folder / "a.db").chmod(0o444)
        folder.chmod(0o555)
        was = os.geteuid()
        if was == 0:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(was)
            folder.chmod(0o755)


def test_a_read_only_file_is_refused(without_rights):
    for name in ("a.db", "b.db"):
        with pytest.raises(BadInput, match=r"db.* must (be writable|lie in a folder that exists)"):
            _publish_into(without_rights / name)
