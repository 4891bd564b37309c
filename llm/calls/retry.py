"""How often a request is repeated, and how long is waited before: the SDKs' own retries are off."""

from __future__ import annotations

from dataclasses import dataclass

from theory.errors import BadInput


@dataclass(frozen=True)
class Retry:
    """Exponential backoff with jitter, bounded in number and in time."""

    retries: int = 3
    """Attempts after the first."""
    first: float = 0.5
    """Seconds before the first retry, at most; each further one may wait twice as long."""
    longest: float = 10.0
    """Seconds that one call waits in all, whatever a server asks."""
    failures: int = 3
    """Calls that fail in a row before the run ends."""

    def __post_init__(self) -> None:
        if self.retries < 0:
            raise BadInput("retries", self.retries, "must be >= 0")
        if self.failures < 1:
            raise BadInput("failures", self.failures, "must be >= 1")

    def wait(
        self, retried: int, *, waited: float, asked: float | None, draw: float
    ) -> float | None:
        """Seconds before the next attempt; None where there is to be none.

        `retried` and `waited` are the retries and seconds so far, `asked` is the server's
        `Retry-After`, `draw` is uniform on [0, 1): half of the backoff is jitter, so that calls
        that failed together do not come back together.
        """
        if retried >= self.retries:
            return None
        backoff = self.first * 2.0**retried * (1 + draw) / 2
        if asked is None:
            return min(backoff, self.longest - waited)
        # Earlier than the server asks is of no use, later than allowed is not waited for.
        return asked if asked <= self.longest - waited else None
