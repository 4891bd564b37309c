"""The compiled loop of `routers.dense_replay`, which keeps what may be among a notice's best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routers.compiled import compiled
from routers.encoding.encoder import Vectors
from theory.arrays import Floats

CROWDED = -1
"""The count of a notice that more entries came near to than there is room for."""
STEP = 128
"""Products that are looked at together: nearly always none is high enough."""


@compiled
def look_through(
    products: Vectors,
    opened: Floats,
    closed: Floats,
    published: Floats,
    first: int,
    slack: float,
    floors: Vectors,
    best: Vectors,
    counts: NDArray[np.int64],
    near: NDArray[np.int64],
    scores: Vectors,
) -> None:
    """Go through the products of notices (rows) and a block of entries, the first being `first`.

    Of each notice it keeps up: `best`, its k highest products so far, ascending; its floor, which
    lies `slack` below the lowest of them; and `near`, the entries above the floor, with `scores`.
    """
    notices, entries = products.shape
    for notice in range(notices):
        time, floor = published[notice], floors[notice]
        for start in range(0, entries, STEP):
            stop = min(start + STEP, entries)
            high = False
            for at in range(start, stop):
                high |= products[notice, at] >= floor
            if not high:
                continue
            for at in range(start, stop):
                product = products[notice, at]
                if product >= floor and opened[at] < time and time <= closed[at]:
                    _keep(product, first + at, slack, notice, floors, best, counts, near, scores)
                    floor = floors[notice]


@compiled
def _keep(
    product: np.float32,
    entry: int,
    slack: float,
    notice: int,
    floors: Vectors,
    best: Vectors,
    counts: NDArray[np.int64],
    near: NDArray[np.int64],
    scores: Vectors,
) -> None:
    """Keep an entry that came near."""
    if counts[notice] == CROWDED:
        return
    highest = best[notice]
    if product > highest[0]:
        at = 0
        while at + 1 < len(highest) and highest[at + 1] < product:
            highest[at] = highest[at + 1]
            at += 1
        highest[at] = product
        floors[notice] = max(floors[notice], np.float32(highest[0] - slack))
    if counts[notice] == near.shape[1]:
        _tidy(notice, floors, counts, near, scores)
    count = counts[notice]
    if count == near.shape[1]:
        counts[notice] = CROWDED
        return
    near[notice, count], scores[notice, count] = entry, product
    counts[notice] = count + 1


@compiled
def settle(
    floors: Vectors, counts: NDArray[np.int64], near: NDArray[np.int64], scores: Vectors
) -> None:
    """Leave of each notice only the entries above its last floor."""
    for notice in range(len(counts)):
        if counts[notice] != CROWDED:
            _tidy(notice, floors, counts, near, scores)


@compiled
def _tidy(
    notice: int,
    floors: Vectors,
    counts: NDArray[np.int64],
    near: NDArray[np.int64],
    scores: Vectors,
) -> None:
    """Drop the entries that the floor has risen above."""
    kept = 0
    for at in range(counts[notice]):
        if scores[notice, at] >= floors[notice]:
            near[notice, kept], scores[notice, kept] = near[notice, at], scores[notice, at]
            kept += 1
    counts[notice] = kept
