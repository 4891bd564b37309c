"""Several processes on one file, and processes that are killed at any moment."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from partner import ANCHORS, anchor, anchored

from routers import Ledger

SCRIPT = Path(__file__).with_name("partner.py")
ROOT = Path(__file__).parents[2]


@contextmanager
def partner(file):
    """A function that tells a second process what to do, and one that reads what it says."""
    process = subprocess.Popen(
        [sys.executable, SCRIPT, file],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with process:

        def tell(*values):
            process.stdin.write(json.dumps(values) + "\n")
            process.stdin.flush()

        yield tell, process.stdout.readline
        process.stdin.close()
    assert process.returncode == 0


def test_a_publish_first_takes_in_what_another_process_opened_and_ended(tmp_path):
    file = tmp_path / "a.db"
    with Ledger(file, router="name") as ledger, partner(file) as (tell, heard):

        def there(*values):
            tell(*values)
            return json.loads(heard())

        def reached(name):
            return [it.entry for it in ledger.publish(anchored(name))]

        ledger.open(anchor(0))
        assert reached("n1") == ["anchor0"]
        assert there("open", anchor(1)) == [["n1", "anchor1", 1.0]], "recorded late over there"
        assert reached("n2") == ["anchor0", "anchor1"]
        there("decide", "anchor0", {"choice": "keep"})
        assert reached("n3") == ["anchor1"]
        assert there("publish", anchored("n4")) == [["n4", "anchor1", 1.0]]
        there("open", anchor(2))
        there("close", "anchor1")
        assert reached("n5") == ["anchor2"]
        ledger.close("anchor2")
        assert there("publish", anchored("n6")) == []
        assert [it.state for it in ledger.records()] == ["decided", "closed", "closed"]


def test_writers_wait_for_each_other_and_none_loses(tmp_path):
    file = tmp_path / "a.db"
    count = 60
    with (
        Ledger(file, router="name") as ledger,
        partner(file) as (tell, heard),
        partner(file) as (tell2, heard2),
    ):
        ledger.open(anchor(0))
        tell("hammer", "a", count)
        tell2("hammer", "b", count)
        for number in range(count):
            ledger.publish(anchored(f"c-{number}"))
            ledger.open(anchor(1) | {"id": f"mine{number}"})
            ledger.close(f"mine{number}")
        assert (heard(), heard2()) == ("done\n", "done\n")
        assert ledger.history("anchor0").record.received == 3 * count
        names = {it.id for it in ledger.notices("anchor0")}
        assert names == {f"{who}-{number}" for who in "abc" for number in range(count)}


@pytest.mark.full
def test_two_hundred_kills_lose_nothing_that_was_acknowledged(tmp_path, full):
    """A process that publishes, opens and decides is killed at random moments."""
    for part in range(10 if full else 1):
        assert _lost_in_twenty_kills(tmp_path / f"{part}.db", seed=part, boasts=False) == 0


def test_the_same_kills_find_a_process_that_acknowledges_too_early(tmp_path):
    assert _lost_in_twenty_kills(tmp_path / "a.db", seed=0, boasts=True) > 5


def _lost_in_twenty_kills(file, *, seed, boasts):
    """How often something that was acknowledged is not there after a kill."""
    rng = np.random.default_rng(seed)
    with partner(file) as (tell, heard):
        return sum(
            not _said(tell, heard, f"r{number}", rng, boasts) <= _present(file, f"r{number}")
            for number in range(20)
        )


def _said(tell, heard, name, rng, boasts):
    """Let it work for up to 60 ms, kill it, and return what it said it had finished."""
    tell("crash", name, boasts)
    child = int(heard().split()[1])
    time.sleep(rng.uniform(0, 0.06))
    os.kill(child, signal.SIGKILL)
    return {tuple(line.split()) for line in iter(heard, "gone\n")}


def _present(file, name):
    """What is there of one process's work, once it is clear that nothing is half there."""
    with Ledger(file, router="name") as ledger:
        states = {it.entry.id: (it.state, it.received) for it in ledger.records()}
    with sqlite3.connect(file) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = db.execute(
            "SELECT notices.id, count(entry) FROM notices LEFT JOIN deliveries"
            " ON notice = notices.seq WHERE notices.id GLOB ? GROUP BY notices.id",
            (f"{name}-*",),
        )
        reached = dict(rows.fetchall())
    db.close()
    batches = Counter()
    for notice, count in reached.items():
        _, number, kind = notice.split("-")
        own = f"{name}-{number}"
        assert count == ((own in states) if kind == "early" else ANCHORS), notice
        batches[own] += kind.startswith("batch")
    mine = {entry: it for entry, it in states.items() if entry.startswith(f"{name}-")}
    assert set(batches.values()) <= {0, 5}
    assert all(received == 1 for _, received in mine.values())
    return (
        {("notice", notice) for notice in reached if "batch" not in notice}
        | {("batch", own) for own, count in batches.items() if count}
        | {("entry", entry) for entry in mine}
        | {("ended", entry) for entry, (state, _) in mine.items() if state != "open"}
    )
