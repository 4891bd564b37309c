"""Names in running text: finding known ones, and telling which words look like one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Generic, TypeVar

from routers.tokens import tokens

Item = TypeVar("Item")

_ARTICLES = frozenset({"a", "an", "the"})


def name_key(name: str) -> tuple[str, ...]:
    """The tokens by which a name is known, without an article in front."""
    key = tuple(tokens(name))
    return key[1:] if key[:1] and key[0] in _ARTICLES else key


class NameIndex(Generic[Item]):
    """Finds whole names in texts: word by word, whatever their case, the longest at each place.

    `Velmarin Hall` is not found in `Velmarin Court` or `Velmorin Hall`.
    """

    def __init__(self) -> None:
        self._items: dict[tuple[str, ...], list[Item]] = {}
        self._lengths: dict[
            str, list[int]
        ] = {}  # of the names that begin with a word, longest first

    def add(self, name: str, item: Item) -> None:
        """Make `name` known, and what to give when it is found; an article in front is dropped."""
        key = name_key(name)
        if not key:
            return
        self._items.setdefault(key, []).append(item)
        lengths = self._lengths.setdefault(key[0], [])
        if len(key) not in lengths:
            lengths.append(len(key))
            lengths.sort(reverse=True)

    def find(self, text: str) -> Iterator[Item]:
        """What was added with each name in the text, in its order."""
        found = tokens(text)
        at = 0
        while at < len(found):
            for length in self._lengths.get(found[at], ()):
                items = self._items.get(tuple(found[at : at + length]))
                if items is not None:
                    yield from items
                    at += length
                    break
            else:
                at += 1


def likely_names(text: str) -> list[str]:
    """Runs of capitalised words that look like names, without articles, in the text's order.

    One capitalised word at the start of a sentence is no name by itself, nor are days and months,
    which a name may hold in short: `15 Jan` holds none, `Jan Steen Hall` is one.
    """
    return [name for run in _RUN.finditer(text) if (name := _trimmed(run[0], run.start(), text))]


def _trimmed(run: str, start: int, text: str) -> str | None:
    parts = run.split()
    begins = not text[:start].rstrip() or text[:start].rstrip()[-1] in ".!?:"
    if begins and parts[0].casefold() in _OPENERS:
        parts, begins = parts[1:], False
    parts = [part for part in parts if part.casefold() not in _CALENDAR]
    if (begins and len(parts) == 1) or all(part.casefold() in _ABBREVIATED for part in parts):
        return None
    return " ".join(parts)


_CAPITALISED = r"[^\W\d_a-zß-öø-ÿ][^\W_]*(?:['’-][^\W\d_]{2,})*"
_RUN = re.compile(rf"{_CAPITALISED}(?: {_CAPITALISED})*")
_OPENERS = frozenset(
    tokens(
        "the a an at on in by for from with without all every each both only no since until after"
        " before near behind beside next if unless when while this that our its their there"
    )
)
"""Words that may stand before a name at the start of a sentence."""
_CALENDAR = frozenset(
    tokens(
        "monday tuesday wednesday thursday friday saturday sunday january february march april"
        " may june july august september october november december"
    )
)
_ABBREVIATED = frozenset(
    tokens(
        "mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov"
        " dec"
    )
)
