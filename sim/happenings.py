"""What happens in an episode, in order: decisions open, news comes out, judges are asked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from routers import Entry, Notice
from sim.asking import Asking
from sim.streams.stream import Stream

Kind: TypeAlias = Literal[0, 1, 2]
# At one moment news comes out before a judge is asked: what is published at the deadline counts.
OPEN: Kind = 0
PUBLISH: Kind = 1
ASK: Kind = 2


class Happening(NamedTuple):
    """One thing that happens."""

    time: float
    kind: Kind
    number: int
    """Of the decision in its stream; -1 for news."""
    item: Entry | Notice
    """The decision, or what comes out."""


def happenings(stream: Stream, asking: Asking) -> Iterator[Happening]:
    """Everything that happens to a stream, earliest first; its notices are read one by one."""
    notices = iter(stream.notices)
    coming = next(notices, None)
    for time, kind, number in _turns(stream, asking):
        while coming is not None and (coming.published, PUBLISH) < (time, kind):
            yield Happening(coming.published, PUBLISH, -1, coming)
            coming = next(notices, None)
        if kind != PUBLISH:
            yield Happening(time, kind, number, stream.decisions[number])


def stretches(stream: Stream, asking: Asking, *, longest: int) -> Iterator[list[Happening]]:
    """The same in pieces in which no verdict can bear on what happens after it.

    A call that takes time may end between any two happenings. One that takes none ends where it
    was asked for; with a lead, an open decision is then out of reach for the news that follows.
    """
    longest = 1 if asking.service else longest
    stretch: list[Happening] = []
    for happening in happenings(stream, asking):
        stretch.append(happening)
        if len(stretch) == longest or (happening.kind == ASK and asking.lead):
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _turns(stream: Stream, asking: Asking) -> Iterator[tuple[float, Kind, int]]:
    """What happens to decisions, equal times as they are to happen; then the end of all news."""
    decided = [entry.decided for entry in stream.decisions]
    asked = [asking.moment(entry) for entry in stream.decisions]
    times = np.array(decided + asked)
    kinds = np.repeat([OPEN, ASK], len(decided))
    numbers = np.tile(np.arange(len(decided)), 2)
    order = np.lexsort((numbers, kinds, times))
    ordered = (column[order].tolist() for column in (times, kinds, numbers))
    yield from zip(*ordered, strict=True)
    yield math.inf, PUBLISH, -1
