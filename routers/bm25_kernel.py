"""The compiled loops of `routers.bm25_index`; its plain sibling is `routers.bm25_reference`.

Entries are rows, words are columns of a sparse matrix of counts that is kept both ways. Rows are
only ever appended, so that the postings of a column stand in the order of their slots; a closed row
stays in its place, marked by its length, until `copy_open` leaves it out.

A search walks the slots in blocks that fit the first-level cache, and within a block adds term
after term in the order of the query: the sum that each entry gets depends on nothing else. What was
tried and left: skipping by upper bounds, which with three winners and a handful of rare words
saves less than it costs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from theory.arrays import Floats

Function = TypeVar("Function", bound=Callable[..., object])

START, SIZE, ROOM, HOLDERS = range(4)
"""What `columns` says of a term: where its postings begin, how many there are, for how many there
is room, and how many of them belong to open entries (the document frequency)."""
SLOT, COUNT = range(2)
"""What a posting says: which entry holds the term, and how often."""
CLOSED = -1
"""The length of a closed entry."""
SMALLEST = 5e-324
"""The least number above 0: scores below it are none."""
BLOCK = 2048
"""Slots that a search looks at together: two arrays of doubles in 32 KiB."""


def compiled(function: Function) -> Function:
    """Compile at the first call and keep the result on disk, where there is a place for it."""
    try:
        return cast(Function, njit(error_model="numpy", cache=True)(function))
    except RuntimeError:  # neither the package's folder nor the user's can be written to
        return cast(Function, njit(error_model="numpy")(function))


@compiled
def append(
    columns: NDArray[np.int64],
    postings: NDArray[np.int32],
    row_terms: NDArray[np.int32],
    terms: NDArray[np.int32],
    slot: int,
    posting_end: int,
    row_end: int,
) -> tuple[int, int]:
    """Add the entry `slot`, whose tokens are `terms`; the new ends of postings and rows.

    Changes nothing and gives (-1, -1) where the postings might not have room.
    """
    needed = 0
    for term in terms:
        if columns[term, SIZE] == columns[term, ROOM]:
            needed += 2 * columns[term, ROOM] + 1
    if posting_end + needed > len(postings):
        return -1, -1
    for term in terms:
        size = columns[term, SIZE]
        last = columns[term, START] + size - 1
        if size > 0 and postings[last, SLOT] == slot:
            postings[last, COUNT] += 1
            continue
        if size == columns[term, ROOM]:
            start = columns[term, START]
            columns[term, START] = posting_end
            columns[term, ROOM] = 2 * size + 1
            for offset in range(size):
                postings[posting_end + offset, SLOT] = postings[start + offset, SLOT]
                postings[posting_end + offset, COUNT] = postings[start + offset, COUNT]
            last = posting_end + size - 1
            posting_end += 2 * size + 1
        postings[last + 1, SLOT] = slot
        postings[last + 1, COUNT] = 1
        columns[term, SIZE] += 1
        columns[term, HOLDERS] += 1
        row_terms[row_end] = term
        row_end += 1
    return posting_end, row_end


@compiled
def remove(
    columns: NDArray[np.int64],
    row_starts: NDArray[np.int64],
    row_terms: NDArray[np.int32],
    lengths: NDArray[np.int32],
    slot: int,
) -> int:
    """Close the entry `slot`; the length it had."""
    for place in range(row_starts[slot], row_starts[slot + 1]):
        columns[row_terms[place], HOLDERS] -= 1
    length = lengths[slot]
    lengths[slot] = CLOSED
    return length  # type: ignore[no-any-return]


@compiled
def search(
    columns: NDArray[np.int64],
    postings: NDArray[np.int32],
    lengths: NDArray[np.int32],
    terms: NDArray[np.int64],
    weights: Floats,
    slots: int,
    base: float,
    slope: float,
    k: int,
) -> tuple[NDArray[np.int64], Floats]:
    """The slots with the `k` highest scores > 0, and all that equal the last of them; unordered.

    A term adds weight * count / (count + base + slope * length).
    """
    places = np.empty(len(terms), np.int64)
    ends = np.empty(len(terms), np.int64)
    for query, term in enumerate(terms):
        places[query] = columns[term, START]
        ends[query] = columns[term, START] + columns[term, SIZE]

    norms = np.empty(BLOCK)
    scores = np.zeros(BLOCK)
    best = np.zeros(k)  # a heap
    found = np.empty(slots, np.int64)
    found_scores = np.empty(slots)
    size = 0
    lowest = SMALLEST

    for first in range(0, slots, BLOCK):
        block = min(BLOCK, slots - first)
        touched = False
        for query in range(len(terms)):
            place = places[query]
            if place < ends[query] and postings[place, SLOT] < first + block:
                touched = True
                break
        if not touched:
            continue
        for at in range(block):
            length = lengths[first + at]
            norms[at] = np.inf if length == CLOSED else base + slope * length

        for query in range(len(terms)):
            weight, place, end = weights[query], places[query], ends[query]
            while place < end:
                at = postings[place, SLOT] - first
                if at >= block:
                    break
                count = postings[place, COUNT]
                scores[at] += weight * (count / (count + norms[at]))
                place += 1
            places[query] = place

        for at in range(block):
            score = scores[at]
            if score >= lowest:
                found[size] = first + at
                found_scores[size] = score
                size += 1
                _keep_best(best, score)
                lowest = max(best[0], lowest)
        scores[:] = 0.0
    size = _drop_below(best[0], found, found_scores, size)
    return found[:size], found_scores[:size]


@compiled
def _keep_best(best: Floats, score: float) -> None:
    """Put a score in the place of the lowest, which stands first in this heap."""
    at, child = 0, 1
    while child < len(best):
        if child + 1 < len(best) and best[child + 1] < best[child]:
            child += 1
        if best[child] >= score:
            break
        best[at] = best[child]
        at, child = child, 2 * child + 1
    best[at] = score


@compiled
def _drop_below(lowest: float, found: NDArray[np.int64], scores: Floats, size: int) -> int:
    kept = 0
    for at in range(size):
        if scores[at] >= lowest:
            found[kept], scores[kept] = found[at], scores[at]
            kept += 1
    return kept


@compiled
def copy_open(
    columns: NDArray[np.int64],
    postings: NDArray[np.int32],
    row_starts: NDArray[np.int64],
    row_terms: NDArray[np.int32],
    new_slots: NDArray[np.int64],
    new_terms: NDArray[np.int64],
    new_columns: NDArray[np.int64],
    new_postings: NDArray[np.int32],
    new_row_starts: NDArray[np.int64],
    new_row_terms: NDArray[np.int32],
) -> None:
    """Copy the postings and rows of open entries, in their order, to arrays laid out for them.

    `new_slots` and `new_terms` say what each slot and term becomes, `CLOSED` where it goes.
    """
    for term in range(len(new_terms)):
        if new_terms[term] != CLOSED:
            place = new_columns[new_terms[term], START]
            for old in range(columns[term, START], columns[term, START] + columns[term, SIZE]):
                slot = new_slots[postings[old, SLOT]]
                if slot != CLOSED:
                    new_postings[place, SLOT] = slot
                    new_postings[place, COUNT] = postings[old, COUNT]
                    place += 1
    row_end = 0
    for slot in range(len(new_slots)):
        if new_slots[slot] != CLOSED:
            for place in range(row_starts[slot], row_starts[slot + 1]):
                new_row_terms[row_end] = new_terms[row_terms[place]]
                row_end += 1
            new_row_starts[new_slots[slot] + 1] = row_end
