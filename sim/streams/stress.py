"""STRESS: DIRECT with hard negatives.

Each decision gets, besides its decisive news or news of another time, two items that look like it:
news that does not block, of a namesake, of a facility that it does not need; standing ones also of
the alternative. One decision in three has a trap.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sim.streams.balance import Place, divide
from sim.streams.controlled import OPEN, WINDOW, Ask, Row, make_controlled
from sim.streams.direct import KINDS
from sim.streams.parameters import Advance, ignore, whole
from sim.streams.stream import Labelled

STANDING = Fraction(27, 75)
"""The paper's share, counted from its accuracy without routing."""


def stress(
    rng: np.random.Generator,
    *,
    decisions: int = 75,
    standing: int | None = None,
    traps: int | None = None,
    open_decisions: int = OPEN,
    window: float = WINDOW,
    advance: Advance = ignore,
) -> Labelled:
    """The stream STRESS: 75 decisions unless asked otherwise, of which 27 stand; 25 traps."""
    return make_stress(
        rng, "stress", decisions, standing, STANDING, traps, open_decisions, window, advance
    )


def make_stress(
    rng: np.random.Generator,
    name: str,
    decisions: int,
    standing: int | None,
    share: Fraction,
    traps: int | None,
    open_decisions: int,
    window: float,
    advance: Advance,
) -> Labelled:
    """A sample of STRESS."""
    trapped = whole("decisions", decisions, 1) // 3 if traps is None else traps
    places = divide(decisions, standing, trapped, KINDS, share)
    return make_controlled(
        rng,
        name,
        [Row(place.kind, _asks(place), place.trapped) for place in places],
        open_decisions=open_decisions,
        window=window,
        elsewhen=("ended-before", "starts-after", "other-day"),
        advance=advance,
    )


def _asks(place: Place) -> tuple[Ask, ...]:
    other = KINDS[1 - KINDS.index(place.kind)]
    hard = [
        Ask(other, "elsewhen"),
        Ask(place.kind, "does-not-block"),
        Ask.aside("namesake"),
        Ask.aside("unneeded-facility"),
    ]
    if not place.changes:
        # Of a decision that should change, news that its alternative is blocked would undo it.
        hard.append(Ask.aside("alternative"))
    first = Ask(place.kind, "decisive" if place.changes else "elsewhen")
    at = place.number
    return first, hard[at % len(hard)], hard[(at + 1) % len(hard)]
