"""All notices of a stream against all entries at once: what a dense router delivers one by one.

Notices are taken in batches and entries in blocks, one matrix product each; a compiled loop keeps
the entries that are open at the moment of a notice and may be among its best. Those are scored
as a live router scores them, so that both deliver the same. A block of which no entry is open costs
nothing.

Faiss, USearch and hnswlib search one set of vectors at a time; here every notice has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from routers.dense_scores import LEAST, exact_scores, margin
from routers.encoding.encoder import Vectors
from routers.ranking import checked_k
from theory.arrays import Floats

Rows: TypeAlias = NDArray[np.int64]

BATCH = 256
"""Notices of one product."""
BLOCK = 512
"""Entries of one product, which is looked through while it lies in the processor's cache."""
ROOM = 64
"""Entries that may have come near to one notice; where it is more, it is looked at on its own."""


class Replayed(NamedTuple):
    """Deliveries, arrays of one length: in order of publication, each notice's best first."""

    notices: Rows
    """The row of the notice."""
    entries: Rows
    """The row of the entry."""
    scores: Floats


class _Entries(NamedTuple):
    """Entries in order of their opening."""

    vectors: Vectors
    opened: Floats
    closed: Floats
    last: Floats
    """When the last entry of each block closes."""
    rows: Rows
    """Where each stood before they were put in order."""


class _Notices(NamedTuple):
    """A batch of notices in order of publication."""

    vectors: Vectors
    published: Floats


_Near: TypeAlias = Callable[[_Entries, _Notices, int], Iterator[Rows]]
"""For each notice of a batch the entries that may be among its k best."""


def replay(
    entries: Vectors,
    opened: Floats,
    closed: Floats,
    notices: Vectors,
    published: Floats,
    *,
    k: int = 3,
) -> Replayed:
    """Deliver each notice to the `k` entries nearest to it of those open at the time.

    `entries` has shape (n, d) and `notices` (m, d), rows of length 1 or all zeros. An entry can be
    reached if `opened < published <= closed`, shapes (n,) and (m,). Equal scores go by row: lay
    entries in order of their ids to have them by id. Notices of one moment keep their order.
    """
    checked_k(k)
    waiting, order = _in_order(entries, opened, closed), np.argsort(published, kind="stable")
    near = _nearest()
    found = [Replayed(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        batch = _Notices(notices[rows], published[rows])
        for row, vector, places in zip(rows, batch.vectors, near(waiting, batch, k), strict=True):
            found.append(_best(waiting, row, vector, places, k))
    return Replayed(*map(np.concatenate, zip(*found, strict=True)))


def _in_order(vectors: Vectors, opened: Floats, closed: Floats) -> _Entries:
    rows = np.argsort(opened, kind="stable")
    if (rows[1:] > rows[:-1]).all():
        rows, vectors = np.arange(len(rows)), np.ascontiguousarray(vectors)
    else:
        vectors, opened, closed = vectors[rows], opened[rows], closed[rows]
    starts = np.arange(0, len(rows), BLOCK)
    last = np.maximum.reduceat(closed, starts) if len(rows) else closed
    return _Entries(vectors, opened, closed, last, rows)


def _best(entries: _Entries, notice: np.int64, vector: Vectors, places: Rows, k: int) -> Replayed:
    """The deliveries of one notice among the entries at these places."""
    scores = exact_scores(entries.vectors[places], vector)
    rows = entries.rows[places]
    order = np.lexsort((rows, -scores))[:k]
    order = order[scores[order] > 0]
    return Replayed(np.full(len(order), notice), rows[order], scores[order])


def _nearest() -> _Near:
    """The compiled search, or the plain one where numba cannot be loaded."""
    try:
        from routers.dense_kernel import CROWDED, look_through
    except ImportError as error:
        rule = f"the replay stays with plain NumPy, far slower: {error}"
        warn(rule, RuntimeWarning, stacklevel=3)
        return _one_by_one

    def together(entries: _Entries, notices: _Notices, k: int) -> Iterator[Rows]:
        count, slack = len(notices.published), margin(entries.vectors.shape[1])
        floors = np.full(count, LEAST - slack, np.float32)
        best = np.full((count, k), -np.inf, np.float32)
        counts = np.zeros(count, np.int64)
        near, scores = np.empty((count, ROOM), np.int64), np.empty((count, ROOM), np.float32)
        for start in _blocks(entries, notices):
            block = slice(start, start + BLOCK)
            look_through(
                notices.vectors @ entries.vectors[block].T,
                entries.opened[block],
                entries.closed[block],
                notices.published,
                start,
                slack,
                floors,
                best,
                counts,
                near,
                scores,
            )
        for at in range(count):
            if counts[at] == CROWDED:
                one = slice(at, at + 1)
                alone = _Notices(notices.vectors[one], notices.published[one])
                yield from _one_by_one(entries, alone, k)
            else:
                yield near[at, : counts[at]]

    return together


def _one_by_one(entries: _Entries, notices: _Notices, k: int) -> Iterator[Rows]:
    """The same in plain NumPy, one notice after another."""
    slack = margin(entries.vectors.shape[1])
    for vector, time in zip(notices.vectors, notices.published, strict=True):
        places = np.flatnonzero((entries.opened < time) & (time <= entries.closed))
        products = (entries.vectors @ vector)[places]
        floor = np.partition(products, -k)[-k] if len(places) > k else LEAST
        yield places[products >= max(floor, LEAST) - slack]


def _blocks(entries: _Entries, notices: _Notices) -> list[int]:
    """Where the blocks begin of which some entry may be open for some notice of the batch."""
    begun = np.searchsorted(entries.opened, notices.published[-1])
    blocks = entries.last[: -(-int(begun) // BLOCK)] >= notices.published[0]
    starts: list[int] = (np.flatnonzero(blocks) * BLOCK).tolist()
    return starts
