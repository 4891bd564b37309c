"""Exact BM25 over a million open entries."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from benchmarks.bm25 import draw, entry, footprint, notice
from benchmarks.figure import Figure
from routers.bm25 import Bm25

OPEN = 1_000_000
SAMPLE = 50_000
NOTICES = 500


def measure(*, full: bool) -> list[Figure]:
    """Load that many entries, then one opens, one closes and a notice is routed, again and again.

    Without `full` on a sample. No peer is here; the target is what no user would call slow.
    """
    size, rng, router = OPEN if full else SAMPLE, np.random.default_rng(0), Bm25()
    loading = 0.0
    for start in range(0, size, SAMPLE):
        entries = [entry(start + at, text) for at, text in enumerate(draw(rng, SAMPLE, 60))]
        started = perf_counter()
        for it in entries:
            router.open(it)
        loading += perf_counter() - started
    entries = [entry(size + at, text) for at, text in enumerate(draw(rng, NOTICES, 60))]
    notices = [notice(at, text) for at, text in enumerate(draw(rng, NOTICES, 25))]
    taken = np.empty(NOTICES)
    for at, (opening, published) in enumerate(zip(entries, notices, strict=True)):
        started = perf_counter()
        router.open(opening)
        router.close(f"e{at}")
        router.route(published)
        taken[at] = perf_counter() - started
    measured = {
        "loading, s": loading,
        "median, ms": float(np.median(taken)) * 1e3,
        "slowest, ms": float(taken.max()) * 1e3,
        "index, MB": footprint(router) / 1e6,
    }
    rate = NOTICES / float(taken.sum())
    return [Figure(f"exact BM25, {size:,} open, notices/s", rate, 100, "at least", measured)]
