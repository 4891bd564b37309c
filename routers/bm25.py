"""The BM25 routers: notices go to the entries whose words they share, rare words first.

The figures behind a score (`routers.bm25_formula`) are those of the entries open at that moment,
exactly: an engine that forgets deletions only later, or that is rebuilt now and then, ranks by
entries that are no longer open.

A router starts with the plain index: a command that routes one notice is done before numba is even
loaded, not to speak of the seconds that it compiles for where it never ran before. One that has
more to do moves to the compiled index, which gives the same scores to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from warnings import warn

from routers.bm25_formula import checked
from routers.bm25_reference import ReferenceIndex
from routers.delivery import Delivery
from routers.entry import Entry
from routers.index_text import INDEX_TEXTS
from routers.notice import Notice
from routers.ranking import best, checked_k
from routers.stop_words import STOP_WORDS
from routers.tokens import tokens
from theory.errors import BadInput

PATIENCE = 2_000
"""Entries opened and notices routed before the compiled index pays for its loading."""


class WordIndex(Protocol):
    """What the compiled index and the plain one have in common."""

    def add(self, entry: str, words: Sequence[str]) -> None:
        """Take in an entry by its words."""

    def remove(self, entry: str) -> None:
        """Forget an entry."""

    def scores(self, words: Sequence[str], k: int) -> dict[str, float]:
        """Scores > 0 by entry: at least the `k` highest, and all that equal the last of them."""


class Bm25:
    """Delivers each notice to the `k` entries with the highest BM25 scores > 0."""

    unbounded = False
    gold = False

    def __init__(
        self,
        index_text: str = "text",
        *,
        k: int = 3,
        k1: float = 1.2,
        b: float = 0.75,
        stop_words: bool = True,
    ) -> None:
        """`stop_words` says whether words such as "the" count; `k1` and `b` are BM25's own."""
        if index_text not in INDEX_TEXTS:
            raise BadInput("index_text", index_text, f"must be one of {', '.join(INDEX_TEXTS)}")
        self.name = f"bm25-{index_text}"
        self.k = checked_k(k)
        self._index_text = INDEX_TEXTS[index_text]
        self._index: WordIndex = ReferenceIndex(checked(k1, b))
        self._steps = 0
        self._ignored = frozenset() if stop_words else STOP_WORDS

    def open(self, entry: Entry) -> None:
        """Take in an entry by the words of its index text."""
        self._step()
        self._index.add(entry.id, self._words("\n".join(self._index_text(entry))))

    def close(self, entry_id: str) -> None:
        """Forget an open entry."""
        self._index.remove(entry_id)

    def route(self, notice: Notice) -> list[Delivery]:
        """Deliveries to the entries that match the words of the notice best."""
        self._step()
        return best(notice.id, self._index.scores(self._words(notice.text), self.k), self.k)

    def _step(self) -> None:
        self._steps += 1
        if self._steps == PATIENCE and isinstance(self._index, ReferenceIndex):
            self._index = _compiled(self._index)

    def _words(self, text: str) -> list[str]:
        words = tokens(text)
        if not self._ignored:
            return words
        return [word for word in words if word not in self._ignored]


def _compiled(plain: ReferenceIndex) -> WordIndex:
    """The compiled index of the same entries; the plain one where numba cannot be loaded."""
    try:
        from routers.bm25_index import CompiledIndex
    except ImportError as error:
        warn(f"BM25 stays in plain Python, far slower: {error}", RuntimeWarning, stacklevel=4)
        return plain
    compiled = CompiledIndex(plain.saturation)
    for entry, words in plain.entries():
        compiled.add(entry, words)
    return compiled
