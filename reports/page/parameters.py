"""What the parameters of experiments are called on the page."""

from __future__ import annotations

from typing import NamedTuple

from reports.page.numbers import quantity
from sim.cells import Parameters, Value


class _Words(NamedTuple):
    heading: str
    """Over a column, with its unit."""
    phrase: str
    """Around a value, in a sentence."""


_WORDS = {
    "hazard": _Words("changes per hour", "{} changes per hour"),
    "gap": _Words("execution gap, h", "an execution gap of {} h"),
    "freshness": _Words("freshness gap, h", "a freshness gap of {} h"),
    "window": _Words("deadline, parts of the gap", "a deadline at {} of the gap"),
    "facts": _Words("facts", "{} facts"),
    "more": _Words("changes per hour, one more fact", "{} for one more fact"),
    "recall": _Words("recall among recoverable", "a recall of {} among recoverable changes"),
    "judge": _Words("simulated judge", "simulated judge {}"),
    "exposed": _Words("share exposed", "a share of {} exposed"),
    "traps": _Words("misleading notices per hour", "{} misleading notices per hour"),
    "kept_calm": _Words("kept when not exposed", "{} kept when not exposed"),
    "kept_exposed": _Words("kept when exposed", "{} kept when exposed"),
}
# The traps' window is a time, where the risk split's is a part of the gap.
_EXPOSURE = {"window": _Words("revision window, h", "a revision window of {} h")}


def heading(name: str, claim: str = "") -> str:
    """A parameter as the heading of a column; its own name where it has no other."""
    return _words(name, claim).heading


def phrase(cell: Parameters, claim: str = "") -> str:
    """A cell's parameters in words."""
    return ", ".join(
        _words(name, claim).phrase.format(written(value)) for name, value in cell.items()
    )


def written(value: Value) -> str:
    """A value of a parameter."""
    return value if isinstance(value, str) else quantity(value)


def _words(name: str, claim: str) -> _Words:
    special = _EXPOSURE if claim == "exposure" else {}
    plain = name.replace("_", " ")
    return special.get(name) or _WORDS.get(name) or _Words(plain, f"{plain} {{}}")
