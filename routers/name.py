"""Name match: a notice goes to the entries whose options or stated dependencies it names.

All open names are looked up in one pass over the notice's tokens: where a token begins some open
name, the runs from it on that are as long as such names are looked up whole. The cost of a notice
follows from its own length, not from the number of open entries.

Two dictionaries rather than an Aho-Corasick library: those build their automaton once for a fixed
set of names, and here an entry opens or closes with nearly every notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

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
        self._bearers: dict[str, str | set[str]] = {}
        """Who bears each open name: nearly always one entry, which needs no set around it."""
        self._starts: dict[str, _Start] = {}
        """The tokens with which open names begin."""

    def open(self, entry: Entry) -> None:
        """Take in an entry's options and stated dependencies."""
        names = set()
        for text in (*entry.options, *entry.dependencies):
            words = tokens(text)
            if 0 < len(words) <= LONGEST_NAME and (name := " ".join(words)) not in names:
                names.add(name)
                self._bear(name, entry.id)
                self._begin(words[0], len(words))
        self._names[entry.id] = tuple(names)

    def close(self, entry_id: str) -> None:
        """Forget an open entry's names."""
        for name in self._names.pop(entry_id):
            bearers = self._bearers[name]
            if isinstance(bearers, set):
                bearers.remove(entry_id)
                if len(bearers) == 1:
                    self._bearers[name] = bearers.pop()
            else:
                del self._bearers[name]
            self._end(name.partition(" ")[0])

    def route(self, notice: Notice) -> list[Delivery]:
        """Deliveries scored by how many different names of the entry the notice holds."""
        named: dict[str, int] = {}
        for bearers in self._named(tokens(notice.text)):
            for entry_id in (bearers,) if isinstance(bearers, str) else bearers:
                named[entry_id] = named.get(entry_id, 0) + 1
        return best(notice.id, named, self.k)

    def _named(self, words: list[str]) -> Iterable[str | set[str]]:
        """The bearers of each open name among the runs of `words`."""
        found: dict[str, str | set[str]] = {}
        for at, word in enumerate(words):
            if (start := self._starts.get(word)) is not None:
                for length in start[1]:
                    name = " ".join(words[at : at + length])
                    if (bearers := self._bearers.get(name)) is not None:
                        found[name] = bearers
        return found.values()

    def _bear(self, name: str, entry_id: str) -> None:
        bearers = self._bearers.get(name)
        if isinstance(bearers, set):
            bearers.add(entry_id)
        else:
            self._bearers[name] = entry_id if bearers is None else {bearers, entry_id}

    def _begin(self, word: str, length: int) -> None:
        names, lengths = self._starts.get(word, _NO_NAME)
        self._starts[word] = (names + 1, lengths if length in lengths else (*lengths, length))

    def _end(self, word: str) -> None:
        names, lengths = self._starts[word]
        if names > 1:
            self._starts[word] = (names - 1, lengths)
        else:
            del self._starts[word]


_Start: TypeAlias = tuple[int, tuple[int, ...]]
"""How many open names begin with a token, one for each entry that bears it, and their lengths in
tokens; a length stays until the last of these names is closed."""

_NO_NAME: _Start = (0, ())
