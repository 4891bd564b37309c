"""All notices of a stream against all entries at once: what a dense router delivers one by one.

Notices are taken in batches and entries in blocks, one matrix product each; a compiled loop keeps
the entries that are open at the moment of a notice and may be among its best. Those are scored
as a live router scores them, so that both deliver the same. A block of which no entry is open costs
nothing.

Faiss, USearch and hnswlib search one set of vectors at a time; here every notice has its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from routers.dense_scores import LEAST, exact_scores, margin
from routers.encoding.encoder import Vectors
from routers.ranking import checked_k
from theory.arrays import Floats

Rows: TypeAlias = NDArray[np.int64]

BATCH = 512
"""Notices of one product."""
BLOCK = 384
"""Entries of one product, which is looked through while it lies in the processor's cache."""
ROOM = 64
"""Entries, or 4 k, that may have come near to a notice; where more do, it is looked at alone."""


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


class _Pairs(NamedTuple):
    """Notices and entries that may be among their best, arrays of one length."""

    notices: Rows
    """Places in the batch."""
    entries: Rows
    """Places among the entries in order."""


_Near: TypeAlias = Callable[[_Entries, _Notices, int], _Pairs]
"""Of a batch the pairs that may be among the k best of their notice."""


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
        at, entry, scores = _best(waiting, batch, near(waiting, batch, k), k)
        found.append(Replayed(rows[at], waiting.rows[entry], scores))
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


def _best(entries: _Entries, notices: _Notices, pairs: _Pairs, k: int) -> Replayed:
    """The deliveries of a batch, by places."""
    at, entry = pairs
    scores = exact_scores(entries.vectors[entry], notices.vectors[at])
    order = np.lexsort((entries.rows[entry], -scores, at))
    at, entry, scores = at[order], entry[order], scores[order]
    rank = np.arange(len(at)) - np.searchsorted(at, at)
    kept = (rank < k) & (scores > 0)
    return Replayed(at[kept], entry[kept], scores[kept])


def _nearest() -> _Near:
    """The compiled search, or the plain one where numba cannot be loaded."""
    try:
        from routers.dense_kernel import CROWDED, look_through, settle
    except ImportError as error:
        rule = f"the replay stays with plain NumPy, far slower: {error}"
        warn(rule, RuntimeWarning, stacklevel=3)
        return _one_by_one

    def together(entries: _Entries, notices: _Notices, k: int) -> _Pairs:
        count, slack = len(notices.published), margin(entries.vectors.shape[1])
        floors = np.full(count, LEAST - slack, np.float32)
        best = np.full((count, k), -np.inf, np.float32)
        counts = np.zeros(count, np.int64)
        room = max(ROOM, 4 * k)
        near, scores = np.empty((count, room), np.int64), np.empty((count, room), np.float32)
        products = np.empty((count, BLOCK), np.float32)
        for start in _blocks(entries, notices):
            block = slice(start, start + BLOCK)
            vectors = entries.vectors[block]
            look_through(
                np.matmul(notices.vectors, vectors.T, out=products[:, : len(vectors)]),
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
        settle(floors, counts, near, scores)
        found = np.arange(room) < counts[:, None]
        crowded = _one_by_one(entries, notices, k, only=counts == CROWDED)
        return _Pairs(
            np.concatenate((np.nonzero(found)[0], crowded.notices)),
            np.concatenate((near[found], crowded.entries)),
        )

    return together


def _one_by_one(
    entries: _Entries, notices: _Notices, k: int, only: NDArray[np.bool_] | None = None
) -> _Pairs:
    """The same in plain NumPy, one notice after another; `only` says which."""
    slack = margin(entries.vectors.shape[1])
    found = [_Pairs(np.empty(0, np.int64), np.empty(0, np.int64))]
    for at in range(len(notices.published)) if only is None else np.flatnonzero(only):
        time = notices.published[at]
        places = np.flatnonzero((entries.opened < time) & (time <= entries.closed))
        products = (entries.vectors @ notices.vectors[at])[places]
        floor = np.partition(products, -k)[-k] if len(places) > k else LEAST
        places = places[products >= max(floor, LEAST) - slack]
        found.append(_Pairs(np.full(len(places), at), places))
    return _Pairs(*map(np.concatenate, zip(*found, strict=True)))


def _blocks(entries: _Entries, notices: _Notices) -> list[int]:
    """Where the blocks begin of which some entry may be open for some notice of the batch."""
    begun = np.searchsorted(entries.opened, notices.published[-1])
    blocks = entries.last[: -(-int(begun) // BLOCK)] >= notices.published[0]
    starts: list[int] = (np.flatnonzero(blocks) * BLOCK).tolist()
    return starts
