"""BM25 over the open set, compiled: entries come and go, and every figure follows at once.

The arrays are described in `routers.bm25_kernel`, which does the counting and the scoring; this
side keeps the names of words and entries and sees that there is room. A closed entry leaves every
figure at once. Its places are won back when an eighth of the slots are closed, or when an array is
full: then all arrays and tables are laid anew at the size of what is open. So memory follows the
open set, its words included, and never what passed through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routers.bm25_formula import Saturation, idf
from routers.bm25_kernel import (
    CLOSED,
    HOLDERS,
    ROOM,
    SIZE,
    START,
    append,
    copy_open,
    remove,
    search,
)
from theory.arrays import Floats

_SPARE = 512
"""Closed entries, and places in each array, that are always allowed."""


class CompiledIndex:
    """The open entries by the words they hold."""

    def __init__(self, saturation: Saturation) -> None:
        self._saturation = saturation
        self._terms: dict[str, int] = {}  # words, in the order of their columns
        self._slots: dict[str, int] = {}  # open entries, in the order of their rows
        self._entries: list[str] = []  # all rows
        self._tokens = 0  # of open entries
        self._posting_end = self._row_end = 0
        self._lengths = np.empty(0, np.int32)
        self._row_starts = np.zeros(1, np.int64)
        self._row_terms = np.empty(0, np.int32)
        self._columns = np.zeros((0, 4), np.int64)
        self._postings = np.empty((0, 2), np.int32)

    def add(self, entry: str, words: Sequence[str]) -> None:
        """Take in an entry by its words."""
        while not self._append(words):
            self._repack(len(words))
        self._slots[entry] = len(self._entries)
        self._entries.append(entry)
        self._tokens += len(words)

    def remove(self, entry: str) -> None:
        """Forget an entry."""
        slot = self._slots.pop(entry)
        self._tokens -= remove(
            self._columns, self._row_starts, self._row_terms, self._lengths, slot
        )
        if len(self._entries) - len(self._slots) > _SPARE + len(self._slots) // 8:
            self._repack(0)

    def scores(self, words: Sequence[str], k: int) -> dict[str, float]:
        """Scores > 0 by entry: the `k` highest, and all that equal the last of them."""
        known, times = self._terms, dict[int, int]()
        for word in words:
            if (term := known.get(word)) is not None:
                times[term] = times.get(term, 0) + 1
        if not times or not self._tokens:
            return {}
        terms = np.array(list(times))
        slots, scores = search(
            self._columns,
            self._postings,
            self._lengths,
            terms,
            self._weights(terms, times.values()),
            len(self._entries),
            *self._saturation.norm(len(self._slots), self._tokens),
            min(k, len(self._slots)),
        )
        named = map(self._entries.__getitem__, slots.tolist())
        return dict(zip(named, scores.tolist(), strict=True))

    def _weights(self, terms: NDArray[np.int64], times: Iterable[int]) -> Floats:
        """What each term of a notice weighs, by how often the notice says it."""
        # Not in the kernel: there a vectorised logarithm may differ in its last bit.
        entries, holders = len(self._slots), self._columns[terms, HOLDERS].tolist()
        return np.array([n * idf(entries, held) for n, held in zip(times, holders, strict=True)])

    def _append(self, words: Sequence[str]) -> bool:
        """Append a row of words, if there is room for it."""
        slot, known = len(self._entries), self._terms
        terms = [known.setdefault(word, len(known)) for word in words]
        if (
            slot == len(self._lengths)
            or len(known) > len(self._columns)
            or self._row_end + len(words) > len(self._row_terms)
        ):
            return False
        posting_end, row_end = append(
            self._columns,
            self._postings,
            self._row_terms,
            np.array(terms, np.int32),
            slot,
            self._posting_end,
            self._row_end,
        )
        if posting_end < 0:
            return False
        self._posting_end, self._row_end = posting_end, row_end
        self._row_starts[slot + 1] = row_end
        self._lengths[slot] = len(words)
        return True

    def _repack(self, tokens: int) -> None:
        """Lay everything anew at the size of what is open, and with room for `tokens` more."""
        lengths = self._lengths[: len(self._entries)]
        row_open = lengths != CLOSED
        holders = self._columns[: len(self._terms), HOLDERS]
        held = holders > 0
        old = self._columns, self._postings, self._row_starts, self._row_terms

        self._terms = {word: at for at, word in enumerate(compress(self._terms, held.tolist()))}
        self._slots = {entry: at for at, entry in enumerate(self._slots)}
        self._entries = list(self._slots)

        self._lengths = _grown(lengths[row_open], _SPARE)
        self._columns = _grown(_columns(holders[held]), _SPARE + tokens)
        self._posting_end = int(self._columns[:, ROOM].sum())
        self._row_end = int(self._columns[:, SIZE].sum())
        self._postings = np.empty((_room(self._posting_end, _SPARE + tokens), 2), np.int32)
        self._row_starts = np.zeros(len(self._lengths) + 1, np.int64)
        self._row_terms = np.empty(_room(self._row_end, _SPARE + tokens), np.int32)
        copy_open(
            *old,
            _renumbered(row_open),
            _renumbered(held),
            self._columns,
            self._postings,
            self._row_starts,
            self._row_terms,
        )


def _columns(holders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Columns for that many postings each, one after another, each with some room to grow."""
    columns = np.empty((len(holders), 4), np.int64)
    columns[:, SIZE] = columns[:, HOLDERS] = holders
    columns[:, ROOM] = holders + holders // 4 + 2
    columns[:, START] = np.cumsum(columns[:, ROOM]) - columns[:, ROOM]
    return columns


def _renumbered(kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """What each place becomes when only the kept ones stay."""
    return np.where(kept, np.cumsum(kept) - 1, CLOSED)


def _grown(array: NDArray[Any], spare: int) -> NDArray[Any]:
    """The array with zeros behind it, so that it can grow by half and by `spare`."""
    grown = np.zeros((_room(len(array), spare), *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def _room(size: int, spare: int) -> int:
    return size + size // 2 + spare
