"""BM25 over the open set in plain Python: what the compiled index is held against, bit for bit.

It also does the work while there is little of it, and, slower, all of it where numba is missing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from routers.bm25_formula import Saturation, idf


class ReferenceIndex:
    """The open entries by the words they hold."""

    def __init__(self, saturation: Saturation) -> None:
        self.saturation = saturation
        self._lengths: dict[str, int] = {}
        self._words: dict[str, Counter[str]] = {}
        self._holders: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._tokens = 0

    def add(self, entry: str, words: Sequence[str]) -> None:
        """Take in an entry by its words."""
        self._words[entry] = Counter(words)
        for word, count in self._words[entry].items():
            self._holders[word][entry] = count
        self._lengths[entry] = len(words)
        self._tokens += len(words)

    def remove(self, entry: str) -> None:
        """Forget an entry."""
        for word in self._words.pop(entry):
            del self._holders[word][entry]
            if not self._holders[word]:
                del self._holders[word]
        self._tokens -= self._lengths.pop(entry)

    def entries(self) -> Iterator[tuple[str, list[str]]]:
        """The open entries in the order in which they came, with their words in any order."""
        for entry, counts in self._words.items():
            yield entry, list(counts.elements())

    def scores(self, words: Sequence[str], k: int) -> dict[str, float]:
        """Scores > 0 by entry: not the `k` highest alone, but all that hold one of the words."""
        del k
        scores: defaultdict[str, float] = defaultdict(float)
        for word, times in Counter(words).items():
            if word in self._holders:
                holders = self._holders[word]
                base, slope = self.saturation.norm(len(self._lengths), self._tokens)
                weight = times * idf(len(self._lengths), len(holders))
                for entry, count in holders.items():
                    norm = base + slope * self._lengths[entry]
                    scores[entry] += weight * (count / (count + norm))
        return scores
