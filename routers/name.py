"""Name match: a notice goes to the entries whose options or stated dependencies it names.

All open names are looked up in one pass over the notice's tokens: from each token on, a run is
lengthened as long as it begins some open name. The cost of a notice follows from its own length,
not from the number of open entries.

A dictionary of runs rather than an Aho-Corasick library: those build their automaton once for a
fixed set of names, and here an entry opens or closes with nearly every notice.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from routers.delivery import Delivery
from routers.entry import Entry
from routers.notice import Notice
from routers.ranking import best
from routers.tokens import tokens

LONGEST_NAME = 32
"""Tokens of a name; a longer option is a description, which no notice repeats word for word."""


class Name:
    """Delivers to the `k` entries of which the notice holds the most different names."""

    name = "name"
    unbounded = False
    gold = False

    def __init__(self, *, k: int = 3) -> None:
        self.k = k
        self._names: dict[str, tuple[str, ...]] = {}
        """The names of each open entry, their tokens joined by spaces."""
        self._bearers: dict[str, set[str]] = {}
        """The open entries with each name."""
        self._beginnings: dict[str, int] = {}
        """How many open names begin with each run of tokens, they themselves included."""

    def open(self, entry: Entry) -> None:
        """Take in an entry's options and stated dependencies."""
        words = [tokens(text) for text in (*entry.options, *entry.dependencies)]
        names = {" ".join(name) for name in words if 0 < len(name) <= LONGEST_NAME}
        self._names[entry.id] = tuple(names)
        for name in names:
            self._bearers.setdefault(name, set()).add(entry.id)
            for run in _beginnings(name):
                self._beginnings[run] = self._beginnings.get(run, 0) + 1

    def close(self, entry_id: str) -> None:
        """Forget an open entry's names."""
        for name in self._names.pop(entry_id):
            self._bearers[name].remove(entry_id)
            if not self._bearers[name]:
                del self._bearers[name]
            for run in _beginnings(name):
                self._beginnings[run] -= 1
                if not self._beginnings[run]:
                    del self._beginnings[run]

    def route(self, notice: Notice) -> list[Delivery]:
        """Deliveries scored by how many different names of the entry the notice holds."""
        named: dict[str, int] = {}
        for name in self._named(tokens(notice.text)):
            for entry_id in self._bearers[name]:
                named[entry_id] = named.get(entry_id, 0) + 1
        return best(notice.id, named, self.k)

    def _named(self, words: list[str]) -> set[str]:
        """The open names among the runs of `words`."""
        found = set()
        for start, run in enumerate(words):
            following = start
            while run in self._beginnings:
                if run in self._bearers:
                    found.add(run)
                following += 1
                if following == len(words):
                    break
                run = f"{run} {words[following]}"
        return found


def _beginnings(name: str) -> Iterator[str]:
    """The first token, the first two, and so on."""
    return accumulate(name.split(" "), "{} {}".format)
