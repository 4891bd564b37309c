"""Traps: a place that matters to another decision, only mentioned in this one's dossier.

The notice about it must come out in this decision's revision window, so that a router that reads
dossiers may send it here too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from sim.streams.dice import Dice
from theory import BadInput

_TRIES = 64
"""Notices picked at random before all of them are looked at."""


class News(NamedTuple):
    """A notice, and the decision that it is about."""

    owner: int
    """The decision."""
    published: int
    place: str
    """The name of what it is about."""
    lures: bool
    """Whether it can be a trap: it stops something that its decision needs."""


class Window(NamedTuple):
    """When news can reach a decision: after `decided`, up to `deadline`."""

    decision: int
    decided: int
    deadline: int


def set_traps(dice: Dice, news: Sequence[News], windows: Sequence[Window]) -> dict[int, int]:
    """For each window's decision, the index of the notice that is its trap; none is used twice.

    `news` is in order of publication. A trap's place is named by no other notice of the window,
    so that each decision has exactly one.
    """
    published = [item.published for item in news]
    by_owner: dict[int, list[News]] = {}
    for item in news:
        by_owner.setdefault(item.owner, []).append(item)
    traps: dict[int, int] = {}
    used: set[int] = set()

    def fits(window: Window, index: int) -> bool:
        item = news[index]
        if not item.lures or index in used or item.owner == window.decision:
            return False
        same = [other for other in by_owner[item.owner] if other.place == item.place]
        return sum(window.decided < other.published <= window.deadline for other in same) == 1

    for window in dice.shuffled(windows):
        first, end = (bisect_right(published, at) for at in (window.decided, window.deadline))
        found = _find(dice, first, end, partial(fits, window))
        if found is not None:
            used.add(found)
            traps[window.decision] = found
    missing = len(windows) - len(traps)
    if missing:
        rule = f"must be fewer: {missing} windows hold no other decision's news that could be one"
        raise BadInput("traps", len(windows), rule)
    return traps


def _find(dice: Dice, first: int, end: int, fits: Callable[[int], bool]) -> int | None:
    """An index in `[first, end)` that fits, at random; None where none does."""
    if first == end:
        return None
    for _ in range(_TRIES):
        index = first + dice.below(end - first)
        if fits(index):
            return index
    fitting = [index for index in range(first, end) if fits(index)]
    return dice.pick(fitting) if fitting else None
