"""What a benchmark measures, and how it takes its time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple


class Figure(NamedTuple):
    """One figure and what it should be."""

    what: str
    """The figure in words, with its unit."""
    value: float
    target: float
    rule: Literal["at least", "at most"]
    """Which side of the target is good."""
    measured: Mapping[str, float]
    """What the value was worked out from, by name and unit."""

    @property
    def met(self) -> bool:
        """Whether the value is as good as its target."""
        return self.value >= self.target if self.rule == "at least" else self.value <= self.target


def best_seconds(work: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, float]:
    """The least processor time of each piece of work, over rounds in which they take turns.

    Turns, so that a machine that slows down slows all of them; processor time, so that other
    users of the machine do not count.
    """
    taken: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, function in work.items():
            started = time.process_time()
            function()
            taken[name].append(time.process_time() - started)
    return {name: min(seconds) for name, seconds in taken.items()}


def as_record(figure: Figure) -> dict[str, Any]:
    """The figure for JSON."""
    return {**figure._asdict(), "met": figure.met}
