"""How many calls a run may make and what they may cost."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

from theory.errors import BadInput


@dataclass(frozen=True)
class Limits:
    """Limits of a run; answers from a cassette count for neither."""

    calls: int | None = None
    """Calls to models; retries of one are not counted apart."""
    budget: float | None = None
    """US dollars."""

    def __post_init__(self) -> None:
        if self.calls is not None and self.calls < 0:
            raise BadInput("--max-calls", self.calls, "must be >= 0")
        if self.budget is not None and not 0 <= self.budget < math.inf:
            raise BadInput("--budget", self.budget, "must be finite and >= 0")


class Reached(Exception):
    """A limit has been reached: the next call is not made."""


class Spending:
    """What has been spent, and what calls under way may yet cost; for many threads."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._changed = threading.Condition()
        self._under_way = 0
        self._reserved = 0.0
        self.calls = 0
        """Calls made or under way."""
        self.spent = 0.0
        """US dollars, where the price is known."""
        self.unpriced = 0
        """Calls whose cost is unknown."""

    def reserve(self, most: float | None) -> float:
        """Room for a call that costs at most so much; waits for others to end if need be.

        Raises `Reached` where there is no room. A call of unknown price has none under a budget.
        """
        limits = self._limits
        with self._changed:
            if limits.calls is not None and self.calls >= limits.calls:
                raise Reached(f"--max-calls {limits.calls:,}")
            if limits.budget is not None:
                needed = math.inf if most is None else most
                while self.spent + self._reserved + needed > limits.budget:
                    if not self._under_way:
                        raise Reached(f"--budget {limits.budget:.2f}")
                    self._changed.wait()
            self.calls += 1
            self._under_way += 1
            self._reserved += most or 0.0
        return most or 0.0

    def settle(self, reserved: float, cost: float | None) -> None:
        """A call has ended and cost so much; where that is unknown, all that was reserved."""
        with self._changed:
            self._under_way -= 1
            self._reserved -= reserved
            if cost is None:
                self.unpriced += 1
                self.spent += reserved
            else:
                self.spent += cost
            self._changed.notify_all()
