"""How many decisions a cell plays: a given number, or as many as its limits need to be narrow.

Under a `precision` a cell goes on until half the width of its limits is that or less, or `most`
decisions have been played. Its limits hold however often it looks (`theory.sequential`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from sim.axes import DECISIONS, Axis, check_counts, check_inside
from sim.cells import Parameters, Value
from theory import BadInput
from theory.inference import binomial_limits
from theory.sequential import sequential_limits

CONFIDENCE = 0.95
"""Of the exact limits over a given number of decisions, in each cell taken by itself."""
ALPHA, MOST = 0.05, 10_000_000
AMOUNT = ("decisions", "precision", "alpha", "most")
"""The parameters that say how many."""
_WIDEST = 0.5
"""No limits have more on each side."""
_NEEDED = 2.4
"""Decisions that a precision takes at a share of one half, times its square."""
_FIRST = 1_000
_GROWTH = (1.02, 4.0)
"""Decisions at the next look, in parts of those at this one: the least and the most."""

Count: TypeAlias = Callable[[int], Mapping[str, int]]
"""Plays so many more decisions and counts what came of them."""


class Counted(NamedTuple):
    """What was counted, and limits of the share of successes."""

    counts: Mapping[str, int]
    decisions: int
    successes: int
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the width of the limits."""
        return (self.high - self.low) / 2


def amount_axes(
    decisions: Axis | None, precision: Axis | None, alpha: Axis | None, most: Axis | None
) -> dict[str, Axis]:
    """The axes of the amount, checked: decisions, or a precision with its error and limit."""
    if precision is None:
        for name, axis in (("alpha", alpha), ("most", most)):
            if axis is not None:
                raise BadInput(name, axis, "must come with a precision")
        check_counts(decisions=DECISIONS if decisions is None else decisions)
        return {"decisions": DECISIONS if decisions is None else decisions}
    if decisions is not None:
        raise BadInput("decisions", decisions, "must not be given with a precision (see most)")
    axes = {
        "precision": precision,
        "alpha": ALPHA if alpha is None else alpha,
        "most": MOST if most is None else most,
    }
    check_inside("precision", axes["precision"], _WIDEST)
    check_inside("alpha", axes["alpha"], 1.0)
    check_counts(most=axes["most"])
    return axes


def about(parameters: Parameters) -> int:
    """How many decisions a cell will play, about, and at most where it has a precision."""
    if "precision" not in parameters:
        return int(parameters.get("decisions", DECISIONS))
    return min(int(parameters["most"]), int(_NEEDED / float(parameters["precision"]) ** 2))


def counted(parameters: Parameters, count: Count, successes: tuple[str, ...]) -> Counted:
    """Play a cell's decisions; `successes` names the counts that add up to its successes."""
    if "precision" not in parameters:
        decisions = int(parameters.get("decisions", DECISIONS))
        counts = count(decisions)
        right = sum(counts[name] for name in successes)
        exact = binomial_limits(right, decisions, confidence=CONFIDENCE)
        return Counted(counts, decisions, right, float(exact.low), float(exact.high))
    return _until_precise(parameters, count, successes)


def reported(found: Counted, parameters: Parameters) -> dict[str, Value]:
    """What a cell under a precision says of its amount, before all else."""
    if "precision" not in parameters:
        return {}
    return {"decisions": found.decisions, "half_width": found.half_width}


def _until_precise(parameters: Parameters, count: Count, successes: tuple[str, ...]) -> Counted:
    precision = float(parameters["precision"])
    alpha, most = float(parameters.get("alpha", ALPHA)), int(parameters.get("most", MOST))
    counts: Counter[str] = Counter()
    decisions, wanted = 0, _FIRST
    while True:
        more = min(wanted, most) - decisions
        counts.update(count(more))
        decisions += more
        right = sum(counts[name] for name in successes)
        limits = sequential_limits(right, decisions, precision=precision, alpha=alpha)
        found = Counted(counts, decisions, right, float(limits.low), float(limits.high))
        if found.half_width <= precision or decisions >= most:
            return found
        # Widths shrink with the root of the number; a look beyond the mark costs decisions.
        least, largest = _GROWTH
        grown = min(max((found.half_width / precision) ** 2, least), largest)
        wanted = int(decisions * grown) + 1
