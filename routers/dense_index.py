"""The open entries by the vectors of their texts, each different text once.

A vector stays as long as an open entry holds its text, and the rows lie close together: memory
follows the open set.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from routers.dense_scores import LEAST, exact_scores, margin
from routers.encoding.encoder import Vectors

_ROOM = 64
"""The fewest rows there is room for."""


class DenseIndex:
    """Vectors of texts, and the entries that hold each."""

    def __init__(self) -> None:
        self._matrix: Vectors = np.empty((0, 0), np.float32)
        """A row for each text, and room for more."""
        self._texts: list[str] = []
        """The text of each row."""
        self._rows: dict[str, int] = {}
        """The row of each text."""
        self._holders: dict[str, set[str]] = {}
        """The entries that hold each text."""
        self._held: dict[str, tuple[str, ...]] = {}
        """The texts of each entry."""

    def add(self, entry: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Take in an entry by its texts, shape (texts, d)."""
        self._held[entry] = tuple(dict.fromkeys(texts))
        for text, vector in zip(texts, vectors, strict=True):
            if text not in self._rows:
                self._append(text, vector)
            self._holders[text].add(entry)

    def remove(self, entry: str) -> None:
        """Forget an entry, and the texts that no other holds."""
        for text in self._held.pop(entry):
            self._holders[text].remove(entry)
            if not self._holders[text]:
                self._drop(text)

    def scores(self, vector: Vectors, k: int) -> dict[str, float]:
        """The score of its best text by entry: the `k` highest, and all that may equal the last."""
        if not self._texts or not vector.any():
            return {}
        rows = self._matrix[: len(self._texts)]
        near = rows @ vector
        found = np.flatnonzero(near >= self._floor(near, k))
        scores: dict[str, float] = {}
        for row, score in zip(
            found.tolist(), exact_scores(rows[found], vector).tolist(), strict=True
        ):
            for entry in self._holders[self._texts[row]]:
                scores[entry] = max(score, scores.get(entry, score))
        return scores

    def _floor(self, near: Vectors, k: int) -> float:
        """What a row must come near to, so that its entry may be among the `k` best."""
        looked_at, reached = min(k, len(near)), 0
        while True:
            top = np.argpartition(near, -looked_at)[-looked_at:]
            reached = len(
                {entry for row in top.tolist() for entry in self._holders[self._texts[row]]}
            )
            if reached >= k or looked_at == len(near):
                break
            looked_at = min(4 * looked_at, len(near))
        best = float(near[top].min()) if reached >= k else LEAST
        return max(best, LEAST) - margin(self._matrix.shape[1])

    def _append(self, text: str, vector: Vectors) -> None:
        row = len(self._texts)
        if row == len(self._matrix):
            self._resize(2 * row, len(vector))
        self._matrix[row] = vector
        self._texts.append(text)
        self._rows[text] = row
        self._holders[text] = set()

    def _drop(self, text: str) -> None:
        """Put the last row in the place of a text's."""
        row, last = self._rows.pop(text), self._texts.pop()
        if last != text:
            self._matrix[row] = self._matrix[len(self._texts)]
            self._texts[row] = last
            self._rows[last] = row
        del self._holders[text]
        if len(self._texts) < len(self._matrix) // 4:
            self._resize(len(self._matrix) // 2, self._matrix.shape[1])

    def _resize(self, rows: int, width: int) -> None:
        if max(rows, _ROOM) != len(self._matrix):
            matrix = np.empty((max(rows, _ROOM), width), np.float32)
            if self._texts:
                matrix[: len(self._texts)] = self._matrix[: len(self._texts)]
            self._matrix = matrix
