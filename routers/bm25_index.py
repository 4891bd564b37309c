"""BM25 over the open set, compiled: entries come and go, and every figure follows at once.

The arrays are described in `routers.bm25_kernel`, which does the counting and the scoring; this
side keeps the names of words and entries and sees that there is room. A closed entry leaves every
figure at once. Its places are won back when an eighth of the slots are closed, or when an array is
full: then all arrays and tables are laid anew at the size of what is open. So memory follows the
open set, its words included, and never what passed through it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import compress, count, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routers.bm25_formula import Saturation, log_above, log_below
from routers.bm25_kernel import (
    CLOSED,
    HOLDERS,
    ROOM,
    SIZE,
    START,
    UNKNOWN,
    append,
    copy_open,
    remove,
    search,
)

_BLOCK = 2_048
"""Slots that a search looks at together: two arrays of doubles in 32 KiB."""
_SPARE = 512
"""Closed entries, and places in each array, that are always allowed."""


class CompiledIndex:
    """The open entries by the words they hold."""

    def __init__(self, saturation: Saturation) -> None:
        self._saturation = saturation
        self._terms = _numbered(())  # words, in the order of their columns
        self._slots: dict[str, int] = {}  # open entries, in the order of their rows
        self._entries: list[str] = []  # all rows
        self._tokens = 0  # of open entries
        self._posting_end = self._row_end = 0
        self._lengths = np.empty(0, np.int32)
        self._logs = np.empty(0)  # of numbers of holders, as `log_below` gives them
        self._row_starts = np.zeros(1, np.int64)
        self._rows = np.empty((0, 2), np.int32)
        self._columns = np.zeros((0, 5), np.int64)
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
        self._tokens -= remove(self._columns, self._row_starts, self._rows, self._lengths, slot)
        if len(self._entries) - len(self._slots) > _SPARE + len(self._slots) // 8:
            self._repack(0)

    def scores(self, words: Sequence[str], k: int) -> dict[str, float]:
        """Scores > 0 by entry: the `k` highest, and all that equal the last of them."""
        if not self._tokens:
            return {}
        entries = len(self._slots)
        slots, scores = search(
            self._columns,
            self._postings,
            self._row_starts,
            self._rows,
            self._lengths,
            self._logs,
            np.fromiter(map(self._terms.get, words, repeat(UNKNOWN)), np.int64, len(words)),
            len(self._entries),
            log_above(entries),
            *self._saturation.norm(entries, self._tokens),
            min(k, entries),
            _BLOCK,
        )
        named = map(self._entries.__getitem__, slots.tolist())
        return dict(zip(named, scores.tolist(), strict=True))

    def _append(self, words: Sequence[str]) -> bool:
        """Append a row of words, if there is room for it."""
        slot = len(self._entries)
        terms = np.fromiter(map(self._terms.__getitem__, words), np.int32, len(words))
        if (
            slot == len(self._lengths)
            or len(self._terms) > len(self._columns)
            or self._row_end + len(words) > len(self._rows)
        ):
            return False
        posting_end, row_end = append(
            self._columns,
            self._postings,
            self._rows,
            terms,
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
        old = self._columns, self._postings, self._row_starts, self._rows

        self._terms = _numbered(compress(self._terms, held.tolist()))
        self._slots = {entry: at for at, entry in enumerate(self._slots)}
        self._entries = list(self._slots)

        # A column is to last until an eighth and `_SPARE` are closed, the arrays twice as long.
        growth = 0.25 + _SPARE / max(len(self._slots), 1)
        spare = _SPARE + tokens
        self._lengths = _grown(lengths[row_open], growth, spare)
        self._logs = np.fromiter(map(log_below, range(len(self._lengths) + 1)), np.float64)
        self._columns = _grown(_columns(holders[held], growth), growth, spare)
        self._posting_end = int(self._columns[:, ROOM].sum())
        self._row_end = int(self._columns[:, SIZE].sum())
        self._postings = np.empty((_room(self._posting_end, growth, spare), 2), np.int32)
        self._row_starts = np.zeros(len(self._lengths) + 1, np.int64)
        self._rows = np.empty((_room(self._row_end, growth, spare), 2), np.int32)
        copy_open(
            *old,
            _renumbered(row_open),
            _renumbered(held),
            self._columns,
            self._postings,
            self._row_starts,
            self._rows,
        )


def _numbered(words: Iterable[str]) -> defaultdict[str, int]:
    """Words by their number, counted from 0; to ask for a new one is to add it."""
    numbered = {word: number for number, word in enumerate(words)}
    return defaultdict(count(len(numbered)).__next__, numbered)


def _columns(holders: NDArray[np.int64], growth: float) -> NDArray[np.int64]:
    """Columns for that many postings each, one after another, with room to grow by that share."""
    columns = np.zeros((len(holders), 5), np.int64)
    columns[:, SIZE] = columns[:, HOLDERS] = holders
    columns[:, ROOM] = holders + (holders * growth).astype(np.int64) + 2
    columns[:, START] = np.cumsum(columns[:, ROOM]) - columns[:, ROOM]
    return columns


def _renumbered(kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """What each place becomes when only the kept ones stay."""
    return np.where(kept, np.cumsum(kept) - 1, CLOSED)


def _grown(array: NDArray[Any], growth: float, spare: int) -> NDArray[Any]:
    """The array with zeros behind it."""
    grown = np.zeros((_room(len(array), growth, spare), *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def _room(size: int, growth: float, spare: int) -> int:
    return size + int(2 * growth * size) + spare
