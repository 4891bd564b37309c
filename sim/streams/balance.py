"""Dividing a stream's decisions: so many that stand, so many of each kind, so many with a trap."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from sim.streams.controlled import Kind
from sim.streams.parameters import whole
from theory import BadInput


class Place(NamedTuple):
    """What one decision is to be, before it has notices."""

    changes: bool
    kind: Kind
    trapped: bool
    number: int
    """Its number within its label and kind, from 0."""


def divide(
    decisions: int, standing: int | None, traps: int, kinds: Sequence[Kind], share: Fraction
) -> list[Place]:
    """So many decisions, each label and the traps spread over the kinds as evenly as can be.

    `share` is the share that stands where `standing` is None.
    """
    whole("decisions", decisions, 1)
    stands = round(decisions * share) if standing is None else whole("standing", standing, 0)
    if stands > decisions:
        raise BadInput("standing", stands, f"must be <= the {decisions} decisions")
    if whole("traps", traps, 0) > decisions:
        raise BadInput("traps", traps, f"must be <= the {decisions} decisions: one each at most")
    places = [
        Place(changes, kinds[i % len(kinds)], False, i // len(kinds))
        for changes, count in ((True, decisions - stands), (False, stands))
        for i in range(count)
    ]
    # One after another from each kind and label: the traps say nothing about either.
    places.sort(key=lambda place: (place.number, kinds.index(place.kind)))
    return [place._replace(trapped=i < traps) for i, place in enumerate(places)]
