"""The compiled loops of `routers.bm25_index`; its plain sibling is `routers.bm25_reference`.

Entries are rows, words are columns of a sparse matrix of counts that is kept both ways. Rows are
only ever appended, so that the postings of a column stand in the order of their slots; a closed row
stays in its place, marked by its length, until `copy_open` leaves it out.

A search walks the slots in blocks that fit the first-level cache, and within a block adds term
after term in the order of the query: the sum that an entry gets depends on nothing else. Once it
knows `k` good scores, it leaves out the commonest words, whose weights together could not lift an
entry among them; what comes near without them is summed again in full, from its row. (Turtle and
Flood's max-score, with the weight itself as the bound.) Most postings belong to those words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routers.compiled import compiled
from theory.arrays import Floats

START, SIZE, ROOM, HOLDERS, ASKED = range(5)
"""What `columns` says of a term: where its postings begin, how many there are, for how many there
is room, how many of them belong to open entries (the document frequency), and, within a search, its
place in the query, counted from 1."""
SLOT, COUNT = range(2)
"""What a posting says: which entry holds the term, and how often."""
TERM = SLOT
"""What a row says, beside the count, of each of its terms."""
CLOSED = -1
"""The length of a closed entry."""
UNKNOWN = -1
"""The term of a word that no entry holds."""
SMALLEST = 5e-324
"""The least number above 0: scores below it are none."""
LEFT_OUT = 0.25
"""How much of the lowest of the `k` best scores the words left out may weigh together: with more,
more entries need a second look, at random places in memory."""
ALMOST_ONE = 1 - 1e-9
"""Sums of doubles in another order differ by far less."""


@compiled
def append(
    columns: NDArray[np.int64],
    postings: NDArray[np.int32],
    rows: NDArray[np.int32],
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
    distinct = 0
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
        rows[row_end, TERM] = term
        row_end += 1
        distinct += 1
    for place in range(row_end - distinct, row_end):
        term = rows[place, TERM]
        rows[place, COUNT] = postings[columns[term, START] + columns[term, SIZE] - 1, COUNT]
    return posting_end, row_end


@compiled
def remove(
    columns: NDArray[np.int64],
    row_starts: NDArray[np.int64],
    rows: NDArray[np.int32],
    lengths: NDArray[np.int32],
    slot: int,
) -> int:
    """Close the entry `slot`; the length it had."""
    for place in range(row_starts[slot], row_starts[slot + 1]):
        columns[rows[place, TERM], HOLDERS] -= 1
    length = lengths[slot]
    lengths[slot] = CLOSED
    return length  # type: ignore[no-any-return]


@compiled
def search(
    columns: NDArray[np.int64],
    postings: NDArray[np.int32],
    row_starts: NDArray[np.int64],
    rows: NDArray[np.int32],
    lengths: NDArray[np.int32],
    logs: Floats,
    words: NDArray[np.int64],
    slots: int,
    top: float,
    base: float,
    slope: float,
    k: int,
    block_size: int,
) -> tuple[NDArray[np.int64], Floats]:
    """The slots with the `k` highest scores > 0, and all that equal the last of them; unordered.

    `words` are the terms of the query as it says them. A term said n times, held by h entries, adds
    n * (top - logs[h]) * count / (count + base + slope * length).
    """
    terms, weights = _weigh(columns, logs, words, top)
    places = np.empty(len(terms), np.int64)
    ends = np.empty(len(terms), np.int64)
    for query, term in enumerate(terms):
        places[query] = columns[term, START]
        ends[query] = columns[term, START] + columns[term, SIZE]
    by_weight = np.argsort(weights)
    left_out = 0
    rest = 0.0  # what the terms left out weigh together
    counts = np.empty(len(terms), np.int64)

    norms = np.empty(block_size)
    scores = np.zeros(block_size)
    best = np.zeros(k)  # a heap
    found = np.empty(slots, np.int64)
    found_scores = np.empty(slots)
    size = 0
    lowest = SMALLEST

    for first in range(0, slots, block_size):
        block = min(block_size, slots - first)
        while left_out < len(terms) and (rest + weights[by_weight[left_out]] < LEFT_OUT * best[0]):
            rest += weights[by_weight[left_out]]
            ends[by_weight[left_out]] = 0
            left_out += 1
        for at in range(block):
            length = lengths[first + at]
            norms[at] = np.inf if length == CLOSED else base + slope * length

        for query in range(len(terms)):
            weight, place, end = weights[query], places[query], ends[query]
            while place < end:
                offset = np.uint32(postings[place, SLOT] - first)  # unsigned: never below 0
                if offset >= block:
                    break
                count = postings[place, COUNT]
                scores[offset] += weight * (count / (count + norms[offset]))
                place += 1
            places[query] = place

        near = max((lowest - rest) * ALMOST_ONE, SMALLEST)
        for at in range(block):
            if scores[at] >= near:
                slot = first + at
                score = scores[at]
                if left_out > 0:
                    row = rows[row_starts[slot] : row_starts[slot + 1]]
                    score = _sum_row(columns, row, weights, norms[at], counts)
                if score >= lowest:
                    found[size] = slot
                    found_scores[size] = score
                    size += 1
                    _keep_best(best, score)
                    lowest = max(best[0], SMALLEST)
                    near = max((lowest - rest) * ALMOST_ONE, SMALLEST)
        scores[:] = 0.0

    for term in terms:
        columns[term, ASKED] = 0
    size = _drop_below(lowest, found, found_scores, size)
    return found[:size], found_scores[:size]


@compiled
def _weigh(
    columns: NDArray[np.int64], logs: Floats, words: NDArray[np.int64], top: float
) -> tuple[NDArray[np.int64], Floats]:
    """The different terms of a query in the order in which it first says them, and their weights.

    Their places in this order stay in `ASKED`. A table gives the logarithms: one that is compiled
    and vectorised may differ in its last bit.
    """
    terms = np.empty(len(words), np.int64)
    weights = np.zeros(len(words))
    size = 0
    for term in words:
        if term != UNKNOWN:
            if columns[term, ASKED] == 0:
                terms[size] = term
                size += 1
                columns[term, ASKED] = size
            weights[columns[term, ASKED] - 1] += 1.0
    for query in range(size):
        weights[query] *= top - logs[columns[terms[query], HOLDERS]]
    return terms[:size], weights[:size]


@compiled
def _sum_row(
    columns: NDArray[np.int64],
    row: NDArray[np.int32],
    weights: Floats,
    norm: float,
    counts: NDArray[np.int64],
) -> float:
    """The whole score of a row, summed in the order of the query."""
    counts[:] = 0
    for place in range(len(row)):
        asked = columns[row[place, TERM], ASKED]
        if asked > 0:
            counts[asked - 1] = row[place, COUNT]
    score = 0.0
    for query in range(len(weights)):
        count = counts[query]
        if count > 0:
            score += weights[query] * (count / (count + norm))
    return score


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
    rows: NDArray[np.int32],
    new_slots: NDArray[np.int64],
    new_terms: NDArray[np.int64],
    new_columns: NDArray[np.int64],
    new_postings: NDArray[np.int32],
    new_row_starts: NDArray[np.int64],
    new_rows: NDArray[np.int32],
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
                new_rows[row_end, TERM] = new_terms[rows[place, TERM]]
                new_rows[row_end, COUNT] = rows[place, COUNT]
                row_end += 1
            new_row_starts[new_slots[slot] + 1] = row_end
