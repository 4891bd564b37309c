"""What happens in an episode, in order: decisions open, news comes out, judges are asked."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from routers import Notice
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
    """Of the decision in its stream, or of the notice."""
    notice: Notice | None = None
    """What comes out."""


def happenings(stream: Stream, asking: Asking) -> Iterator[Happening]:
    """Everything that happens to a stream, earliest first; its notices are read one by one."""
    decisions = stream.decisions
    asked = np.array([asking.moment(entry) for entry in decisions])
    first_asked = np.argsort(asked, kind="stable").tolist()
    return merge(
        (Happening(entry.decided, OPEN, i) for i, entry in enumerate(decisions)),
        (Happening(item.published, PUBLISH, i, item) for i, item in enumerate(stream.notices)),
        (Happening(float(asked[i]), ASK, i) for i in first_asked),
    )
