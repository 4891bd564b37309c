"""The ledger in a file: publishes a second, one by one and in batches, opening, and name match."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.figure import Figure, best_seconds
from routers import Entry, Ledger, Notice, make_router
from routers.database import Synchronous

OPEN = 1_000
MANY_OPEN = 100_000
NOTICES = 3_000
ROUNDS = 5


def measure(*, full: bool) -> list[Figure]:
    """Publishes by the wall clock, since they include what the disk takes; matching by CPU time."""
    del full
    return [*_publishing(), _opening(), _matching()]


def _publishing() -> list[Figure]:
    """A publish survives the death of the process, under `full` also that of the machine."""
    rng = np.random.default_rng(0)
    notices = _notices(rng, OPEN)

    def one_by_one(ledger: Ledger) -> None:
        for notice in notices:
            ledger.publish(notice)

    ways: dict[str, tuple[Synchronous, Callable[[Ledger], object]]] = {
        "one by one": ("normal", one_by_one),
        "one by one, synchronous=full": ("full", one_by_one),
        "in one batch": ("normal", lambda ledger: ledger.publish_many(notices)),
    }
    rates = dict.fromkeys(ways, 0.0)
    cpu_rates = dict.fromkeys(ways, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        for round_ in range(ROUNDS):
            for name, (synchronous, publish) in ways.items():
                path = Path(folder, f"{round_} {name}.db")
                with Ledger(path, router="name", synchronous=synchronous) as ledger:
                    ledger.open_many(_entries(OPEN))
                    ledger.publish(_notice("first", 0.5, rng, OPEN))  # makes the index
                    started, cpu_started = time.perf_counter(), time.process_time()
                    publish(ledger)
                    rate = NOTICES / (time.perf_counter() - started)
                    cpu_rate = NOTICES / (time.process_time() - cpu_started)
                    rates[name] = max(rates[name], rate)
                    cpu_rates[name] = max(cpu_rates[name], cpu_rate)
                    received = sum(record.received for record in ledger.records())
    measured = {f"{name}, a second": rate for name, rate in rates.items()}
    measured |= {f"{name}, a CPU second": rate for name, rate in cpu_rates.items()}
    measured["deliveries a notice"] = received / NOTICES
    durable, batch = rates["one by one"], rates["in one batch"]
    return [
        Figure("durable publishes a second, 1,000 open", durable, 2_000, "at least", measured),
        Figure("publishes a second in a batch, 1,000 open", batch, 20_000, "at least", measured),
    ]


def _opening() -> Figure:
    """Until the first notice is routed, so with the router's index."""
    rng = np.random.default_rng(0)
    seconds, cpu_seconds = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "many.db")
        with Ledger(path, router="name") as ledger:
            ledger.open_many(_entries(MANY_OPEN))
        for round_ in range(3):
            started, cpu_started = time.perf_counter(), time.process_time()
            with Ledger(path, router="name") as ledger:
                ledger.publish(_notice(f"first{round_}", 1.0, rng, MANY_OPEN))
                seconds.append(time.perf_counter() - started)
                cpu_seconds.append(time.process_time() - cpu_started)
        size = path.stat().st_size / 1e6
    what = f"seconds to open a file of {MANY_OPEN:,} open entries and route a notice"
    return Figure(
        what, min(seconds), 3.0, "at most", {"CPU seconds": min(cpu_seconds), "file, MB": size}
    )


def _matching() -> Figure:
    rng = np.random.default_rng(0)
    routers = {}
    for entries in (OPEN, MANY_OPEN):
        routers[entries] = make_router("name")
        for entry in _entries(entries):
            routers[entries].open(entry)
    notices = {entries: _notices(rng, entries) for entries in routers}

    def route(entries: int) -> None:
        for notice in notices[entries]:
            routers[entries].route(notice)

    taken = best_seconds(
        {"few": lambda: route(OPEN), "many": lambda: route(MANY_OPEN)}, rounds=2 * ROUNDS
    )
    return Figure(
        f"name match, cost of a notice at {MANY_OPEN:,} open over {OPEN:,}",
        taken["many"] / taken["few"],
        2.0,
        "at most",
        {
            f"us a notice, {OPEN:,} open": taken["few"] / NOTICES * 1e6,
            f"us a notice, {MANY_OPEN:,} open": taken["many"] / NOTICES * 1e6,
        },
    )


def _entries(count: int) -> Iterator[Entry]:
    """Decisions of 60 words on two venues and a line, with a dossier of four facts."""
    text = " ".join(f"word{number}" for number in range(60))
    for number in range(count):
        yield Entry(
            id=f"d{number}",
            decided=0.0,
            deadline=1e6,
            options=(f"Velmor{number} Hall", f"Tarn{number} House"),
            dependencies=(f"Line {number}",),
            text=text,
            background=(f"Velmor{number} Hall is fed by a substation beyond the river.",) * 4,
        )


def _notices(rng: np.random.Generator, entries: int) -> list[Notice]:
    return [_notice(f"n{i}", 1.0 + i / NOTICES, rng, entries) for i in range(NOTICES)]


def _notice(name: str, published: float, rng: np.random.Generator, entries: int) -> Notice:
    """News of 25 words that names three open entries."""
    first, second, third = (int(number) for number in rng.integers(entries, size=3))
    said = " ".join(f"word{number}" for number in rng.integers(1_000, size=15))
    text = f"{said} Velmor{first} Hall and the Tarn{second} House, on Line {third}, are closed"
    return Notice(id=name, published=published, text=text)
