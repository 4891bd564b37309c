"""INDIRECT: news refers to what a decision needs through other names and what lies upstream.

Four kinds of reference by two labels. Each decision gets two related notices and one decoy: of a
changing decision exactly one is decisive, of the row's kind of reference. Related notices draw on
the same words whether decisive or not, and every shape of interval is as likely for both; only
their dates differ. Three decisions in four have a trap.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sim.streams.balance import Place, divide
from sim.streams.controlled import KINDS, OPEN, WINDOW, Ask, Row, make_controlled
from sim.streams.parameters import Advance, ignore, whole
from sim.streams.stream import Labelled

STANDING = Fraction(1, 2)
DECOYS = (Ask.aside("unneeded-facility"), Ask.aside("namesake"))


def indirect(
    rng: np.random.Generator,
    *,
    decisions: int = 128,
    standing: int | None = None,
    traps: int | None = None,
    related: int = 2,
    decoys: int = 1,
    open_decisions: int = OPEN,
    window: float = WINDOW,
    advance: Advance = ignore,
) -> Labelled:
    """The stream INDIRECT: 128 decisions, half of them standing, 96 with a trap.

    Each gets `related` notices about what it needs, the first of the row's kind of reference and
    the others of any, and `decoys` about what it does not need.
    """
    whole("related", related, 1)  # without news about what it needs no decision could change
    whole("decoys", decoys, 0)
    trapped = whole("decisions", decisions, 1) * 3 // 4 if traps is None else traps
    places = divide(decisions, standing, trapped, KINDS, STANDING)
    return make_controlled(
        rng,
        "indirect",
        [Row(place.kind, _asks(place, related, decoys), place.trapped) for place in places],
        open_decisions=open_decisions,
        window=window,
        elsewhen=("ended-before", "starts-after", "other-day"),
        advance=advance,
    )


def _asks(place: Place, related: int, decoys: int) -> tuple[Ask, ...]:
    first = Ask(place.kind, "decisive" if place.changes else "elsewhen")
    # The others go round the kinds, so that each kind meets each in both labels alike.
    others = [
        Ask(KINDS[(KINDS.index(place.kind) + place.number + i) % len(KINDS)], "elsewhen")
        for i in range(1, related)
    ]
    return first, *others, *(DECOYS[(place.number + i) % len(DECOYS)] for i in range(decoys))
