"""When judges are asked, and how long they take on the simulated clock."""

from __future__ import annotations

from dataclasses import dataclass

from routers import Entry
from theory.arrays import at_least
from theory.errors import BadInput

INSTANT = 1e-9
"""Hours within which two moments count as one: the clock adds waits up with rounding."""


@dataclass(frozen=True)
class Asking:
    """How an episode asks its judge; at the deadline and answered at once, by default."""

    lead: float = 0.0
    """Hours before the deadline at which the judge is asked; the routing window ends there."""
    service: float = 0.0
    """Hours that one call takes."""
    slots: int | None = None
    """Calls that can be under way at once, in the order of asking; None: any number."""

    def __post_init__(self) -> None:
        for name in ("lead", "service"):
            object.__setattr__(self, name, float(at_least(name, getattr(self, name), 0.0)))
        if self.slots is not None and self.slots < 1:
            raise BadInput("slots", self.slots, "must be >= 1")

    def moment(self, entry: Entry) -> float:
        """When the judge of a decision is asked: never before it was made."""
        return max(entry.decided, entry.deadline - self.lead)
