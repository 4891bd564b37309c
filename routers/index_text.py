"""What of an entry a router indexes: the decision's text, its dossier, or its watch conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from routers.entry import Entry

IndexText: TypeAlias = Callable[[Entry], tuple[str, ...]]
"""The pieces of an entry that are indexed, the decision's text first."""


def text(entry: Entry) -> tuple[str, ...]:
    """What was decided, in its own words."""
    return (entry.text,)


def dossier(entry: Entry) -> tuple[str, ...]:
    """The decision's text and every background fact."""
    return (entry.text, *entry.background)


def watch(entry: Entry) -> tuple[str, ...]:
    """The decision's text and the conditions whose change would stop the activity."""
    return (entry.text, *entry.watch)


def watch_best(entry: Entry) -> tuple[str, ...]:
    """Each watch condition by itself, the best of which counts; the text where there is none."""
    return entry.watch or (entry.text,)


INDEX_TEXTS: dict[str, IndexText] = {"text": text, "dossier": dossier, "watch": watch}
"""The index texts by the name that a router's name ends in."""

ONE_BY_ONE: dict[str, IndexText] = {"watch-best": watch_best}
"""Index texts whose pieces are scored one by one, for scores that are no sums over words."""
