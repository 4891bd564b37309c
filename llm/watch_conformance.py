"""The tests that every watch writer must pass, ours or a user's.

    from llm.watch_conformance import check_watch_writer
    check_watch_writer(MyWriter, rng=np.random.default_rng(0))

Each check has decisions of a small town watched and raises `NotConforming` with what it found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from llm.town import GOLD, TEXTS, made_up, marked, require
from llm.watch import MOST, WatchWriter
from routers import Entry
from routers.router import NotConforming

Make: TypeAlias = Callable[[], WatchWriter]
"""Makes a watch writer that has written nothing."""

Check: TypeAlias = Callable[[Make, np.random.Generator], None]

ENTRIES = 40
"""Decisions that each check has watched."""


def check_watch_writer(make: Make, *, rng: np.random.Generator) -> None:
    """Run every check; raises `NotConforming` at the first that fails, naming it."""
    for check in CHECKS:
        try:
            check(make, rng)
        except Exception as error:
            says = error if isinstance(error, NotConforming) else f"it raises {error!r}"
            raise NotConforming(f"{check.__name__}: {says}") from error


def declares_itself(make: Make, rng: np.random.Generator) -> None:
    """It says its name and its version."""
    del rng
    writer = make()
    for field in ("name", "version"):
        value = getattr(writer, field)
        require(isinstance(value, str) and value, f"its {field} must be a text")


def writes_sentences(make: Make, rng: np.random.Generator) -> None:
    """It writes a few sentences that an entry can hold, none twice."""
    writer = make()
    for entry in _entries(rng):
        _require_sentences(writer.write(entry), entry)


def writes_alike(make: Make, rng: np.random.Generator) -> None:
    """One entry has one answer: asked again, in any order, or of a new writer."""
    entries = _entries(rng)
    writer = make()
    first = [list(writer.write(entry)) for entry in entries]
    for again in (writer, make()):
        for index in rng.permutation(len(entries)).tolist():
            found = list(again.write(entries[index]))
            require(found == first[index], f"it writes {first[index]}, then {found}")


def writes_anew(make: Make, rng: np.random.Generator) -> None:
    """Conditions that an entry has already change nothing."""
    for entry in _entries(rng):
        found = list(make().write(entry))
        again = list(make().write(replace(entry, watch=("The Old Mill is shut.",))))
        require(again == found, f"it writes {found}, and {again} where there were conditions")


def sees_no_gold(make: Make, rng: np.random.Generator) -> None:
    """What is true of an entry changes nothing."""
    for number in range(ENTRIES):
        case = made_up(number, rng)
        found = {tuple(make().write(marked(case, gold).entry)) for gold in GOLD}
        require(len(found) == 1, f"what it writes, {found}, changes with gold")


def survives_any_text(make: Make, rng: np.random.Generator) -> None:
    """No text stops it: no words at all, any script, any length, words meant to steer it."""
    writer = make()
    entry = made_up(0, rng).entry
    for text in TEXTS:
        for odd in (
            replace(entry, text=text, evidence=(text,), background=(text,)),
            replace(entry, options=(text, "Quay House"), dependencies=()),
            replace(entry, activity=text),
        ):
            _require_sentences(writer.write(odd), odd)


def keeps_to_a_few(make: Make, rng: np.random.Generator) -> None:
    """Of a decision that rests on very much it still writes a few sentences."""
    entry = made_up(0, rng).entry
    many = tuple(f"Gate {number} Tower" for number in range(50))
    crowded = replace(
        entry,
        dependencies=many,
        background=tuple(f"{name} is also known as Old {name}." for name in many),
    )
    _require_sentences(make().write(crowded), crowded)


CHECKS: tuple[Check, ...] = (
    declares_itself,
    writes_sentences,
    writes_alike,
    writes_anew,
    sees_no_gold,
    survives_any_text,
    keeps_to_a_few,
)


def _entries(rng: np.random.Generator) -> list[Entry]:
    return [made_up(number, rng).entry for number in range(ENTRIES)]


def _require_sentences(written: Sequence[str], entry: Entry) -> None:
    require(not isinstance(written, str), f"{written!r} is one text, not a list of sentences")
    require(len(written) <= MOST, f"{len(written)} conditions are more than {MOST}")
    require(len(set(written)) == len(written), f"{written} has a condition twice")
    replace(entry, watch=tuple(written))  # refuses what no entry can hold
