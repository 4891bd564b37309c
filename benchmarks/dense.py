"""Exact nearest of 100,000 open entries, one coming and one going with every notice; and encoding.

Ours is the replay of a whole stream, in which every notice has an open set of its own. NumPy and
faiss do the same notice by notice, as one would write it down; faiss is told by a range which
entries are open, the cheapest of its ways. In "one set" it and USearch find the nearest of all
notices in one and the same set of vectors, which is less than was asked for.

Everyone works on one thread and takes turns; processor time counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.figure import Figure, best_seconds
from routers.dense_replay import replay
from routers.encoding.encoder import Vectors
from routers.encoding.packaged import packaged
from theory.arrays import Floats

K = 3
OPEN = 100_000
WIDTH = 384
NOTICES = 512
"""Of which the slower ones see fewer."""
ALONE = 16
TARGETS = {
    "NumPy by notice": 8,
    "faiss Flat by notice": 1,
    "faiss Flat, one set": 1,
    "usearch exact, one set": 1,
}
"""How many times as fast ours must be."""

_Work: TypeAlias = tuple[int, Callable[[], object]]
"""Notices, and how they are routed."""


def measure(*, full: bool) -> list[Figure]:
    """Notices a second relative to each peer, and texts a second of the default encoder."""
    rounds = 6 if full else 2
    work = _work()
    # Only now: a matrix library that is loaded later would start its own threads.
    with threadpool_limits(1):
        return [*_compare(work, rounds), _encoding(rounds)]


def _work() -> dict[str, _Work]:
    """What ours and each peer that is installed has to do."""
    rng = np.random.default_rng(0)
    entries, notices = _vectors(rng, OPEN + NOTICES), _vectors(rng, NOTICES)
    # At the moment of notice i, the entries from i + 1 to i + OPEN are open.
    opened = np.arange(-OPEN, NOTICES, dtype=np.float64)
    closed, published = opened + OPEN - 0.25, opened[-NOTICES:] + 0.5
    work: dict[str, _Work] = {
        "ours": (NOTICES, lambda: replay(entries, opened, closed, notices, published, k=K)),
        "NumPy by notice": (
            ALONE,
            lambda: [
                _alone(entries, opened, closed, notices[at], published[at]) for at in range(ALONE)
            ],
        ),
    }
    for name, peer in {"faiss": _faiss, "usearch": _usearch}.items():
        try:
            work |= peer(entries, notices)
        except ModuleNotFoundError as error:
            print(f"dense: {name} skipped, {error.name} is not installed")
    replay(entries[:9], opened[:9], closed[:9], notices, published, k=K)  # loads what is compiled
    return work


def _compare(work: Mapping[str, _Work], rounds: int) -> list[Figure]:
    seconds = best_seconds({name: run for name, (_, run) in work.items()}, rounds=rounds)
    rates = {name: count / seconds[name] for name, (count, _) in work.items()}
    return [
        Figure(
            f"dense replay / {name}, {OPEN:,} open",
            rates["ours"] / rate,
            TARGETS[name],
            "at least",
            {f"{it}, notices/s": rates[it] for it in ("ours", name)},
        )
        for name, rate in rates.items()
        if name != "ours"
    ]


def _vectors(rng: np.random.Generator, count: int) -> Vectors:
    vectors = rng.standard_normal((count, WIDTH), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _alone(
    entries: Vectors, opened: Floats, closed: Floats, notice: Vectors, time: float
) -> NDArray[np.int64]:
    """The rows of the best open entries for one notice."""
    scores = entries @ notice
    scores[(opened >= time) | (time > closed)] = -1
    best = np.argpartition(scores, -K)[-K:]
    return best[np.argsort(-scores[best])]


def _faiss(entries: Vectors, notices: Vectors) -> dict[str, _Work]:
    import faiss

    faiss.omp_set_num_threads(1)
    whole, one_set = faiss.IndexFlatIP(WIDTH), faiss.IndexFlatIP(WIDTH)
    whole.add(entries)
    one_set.add(entries[:OPEN])

    def by_notice() -> None:
        for at in range(ALONE):
            only = faiss.SearchParameters()
            only.sel = faiss.IDSelectorRange(at + 1, at + 1 + OPEN)
            whole.search(notices[at : at + 1], K, params=only)

    return {
        "faiss Flat by notice": (ALONE, by_notice),
        "faiss Flat, one set": (NOTICES, lambda: one_set.search(notices, K)),
    }


def _usearch(entries: Vectors, notices: Vectors) -> dict[str, _Work]:
    from usearch.index import search

    few = notices[:64]
    one_set = entries[:OPEN]
    run = lambda: search(one_set, few, K, "ip", exact=True, threads=1)  # noqa: E731
    return {"usearch exact, one set": (len(few), run)}


def _encoding(rounds: int) -> Figure:
    """Texts a second of the default encoder; no peer is here, a slower one would be felt."""
    texts = [
        f"The {name} near the {other} stays closed to the public from {hour}:00 on Monday until"
        f" {hour + 2}:30 on Tuesday because of works at the bridge, the harbour office said."
        for name in ("Old Mill", "Quay", "Tram Depot", "Hall")
        for other in ("lock", "market", "pier", "park")
        for hour in (6, 9, 13)
    ]
    encoder = packaged().encoder
    seconds = best_seconds({"encode": lambda: encoder.encode(texts)}, rounds=rounds)["encode"]
    what = f"texts of {len(texts[0].split())} words encoded a second"
    return Figure(what, len(texts) / seconds, 20, "at least", {})
