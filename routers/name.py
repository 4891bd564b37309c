"""Name match: a notice goes to the entries whose options or stated dependencies it names.

All open names are looked up in one pass over the notice's tokens: from each token on, a run is
lengthened as long as it begins some open name. The cost of a notice follows from its own length,
not from the number of open entries.

A dictionary of runs rather than an Aho-Corasick library: those build their automaton once for a
fixed set of names, and here an entry opens or closes with nearly every notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
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
        self._bearers: dict[str, _Bearers] = {}
        """Every run of tokens that begins an open name, whole names with the entries so named.

        One dictionary and no object for each run: at many open entries a look-up costs what it
        misses in the processor's caches.
        """
        self._longer: dict[str, int] = {}
        """How many open names go on after each run; not needed to route."""

    def open(self, entry: Entry) -> None:
        """Take in an entry's options and stated dependencies."""
        words = [tokens(text) for text in (*entry.options, *entry.dependencies)]
        names = {" ".join(name) for name in words if 0 < len(name) <= LONGEST_NAME}
        self._names[entry.id] = tuple(names)
        for name in names:
            self._bearers[name] = _with(self._bearers.get(name), entry.id)
            for run in _beginnings(name):
                self._longer[run] = self._longer.get(run, 0) + 1
                self._bearers.setdefault(run, None)

    def close(self, entry_id: str) -> None:
        """Forget an open entry's names."""
        for name in self._names.pop(entry_id):
            self._bearers[name] = _without(self._bearers[name], entry_id)
            self._tidy(name)
            for run in _beginnings(name):
                self._longer[run] -= 1
                self._tidy(run)

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
        for start, run in enumerate(words):
            following = start + 1
            while (bearers := self._bearers.get(run, _NO_RUN)) is not _NO_RUN:
                if bearers is not None:
                    found[run] = bearers
                if following == len(words):
                    break
                run = f"{run} {words[following]}"
                following += 1
        return found.values()

    def _tidy(self, run: str) -> None:
        """Forget a run that begins no open name any more."""
        if self._longer.get(run) == 0:
            del self._longer[run]
        if self._bearers[run] is None and run not in self._longer:
            del self._bearers[run]


_Bearers: TypeAlias = str | set[str] | None
"""Nearly always one entry, which needs no set around it; None for a run that is no name itself."""

_NO_RUN: set[str] = set()


def _with(bearers: _Bearers, entry_id: str) -> str | set[str]:
    if isinstance(bearers, set):
        bearers.add(entry_id)
        return bearers
    return entry_id if bearers is None else {bearers, entry_id}


def _without(bearers: _Bearers, entry_id: str) -> _Bearers:
    if not isinstance(bearers, set):
        return None
    bearers.remove(entry_id)
    return bearers.pop() if len(bearers) == 1 else bearers


def _beginnings(name: str) -> Iterable[str]:
    """The first token, the first two, and so on, without the whole name."""
    return accumulate(name.split(" ")[:-1], "{} {}".format)
