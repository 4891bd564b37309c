"""DIRECT: decisive news names the chosen option or the stated dependency.

Other news about the two tells of other times, most often of what starts after the activity. One in
eight changing decisions has decisive news of both.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sim.streams.balance import Place, divide
from sim.streams.controlled import OPEN, WINDOW, Ask, Kind, Row, make_controlled
from sim.streams.parameters import Advance, ignore
from sim.streams.stream import Labelled

KINDS: tuple[Kind, ...] = ("option", "dependency")
STANDING = Fraction(50, 110)
"""The paper's share, counted from its accuracy without routing."""


def direct(
    rng: np.random.Generator,
    *,
    decisions: int = 110,
    standing: int | None = None,
    open_decisions: int = OPEN,
    window: float = WINDOW,
    advance: Advance = ignore,
) -> Labelled:
    """The stream DIRECT: 110 decisions, of which 50 stand, unless asked otherwise.

    `open_decisions` are open at once, for a `window` of so many hours on average.
    """
    places = divide(decisions, standing, 0, KINDS, STANDING)
    return make_controlled(
        rng,
        "direct",
        [Row(place.kind, _asks(place)) for place in places],
        open_decisions=open_decisions,
        window=window,
        elsewhen=("starts-after", "starts-after", "starts-after", "ended-before", "other-day"),
        advance=advance,
    )


def _asks(place: Place) -> tuple[Ask, ...]:
    other = KINDS[1 - KINDS.index(place.kind)]
    first = Ask(place.kind, "decisive" if place.changes else "elsewhen")
    if place.changes and place.number % 8 == 0:
        return first, Ask(other, "decisive")
    return (first, Ask(other, "elsewhen")) if place.number % 2 else (first,)
