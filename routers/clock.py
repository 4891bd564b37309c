"""What time it is for a ledger: a clock that it was given, the wall clock, or its latest news."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime

from routers.times import TimeKind, hours_since, read_time


class Clock:
    """The time of one ledger, in hours from its epoch."""

    def __init__(self, given: Callable[[], float | str] | None, epoch: datetime) -> None:
        self._given = given
        self._epoch = epoch

    def reading(self) -> float | None:
        """What the given clock says; None without one."""
        return None if self._given is None else read_time("clock", self._given(), self._epoch)

    def now(self, kind: TimeKind | None, latest: float, reading: float | None) -> float:
        """What time it is, for times of this kind and after the latest that was seen."""
        if reading is not None:
            return reading
        return hours_since(self._epoch) if kind == "iso" else latest


def or_never(time: float | None) -> float:
    """A time, or one before every other."""
    return -math.inf if time is None else time
