"""The router that sends nothing: what freshness alone can reach."""

from __future__ import annotations

from routers.delivery import Delivery
from routers.entry import Entry
from routers.notice import Notice


class Nowhere:
    """Delivers no notice to any entry."""

    name = "none"
    unbounded = False
    gold = False

    def __init__(self, *, k: int = 3) -> None:
        self.k = k

    def open(self, entry: Entry) -> None:
        """Nothing to keep."""

    def close(self, entry_id: str) -> None:
        """Nothing to forget."""

    def route(self, notice: Notice) -> list[Delivery]:
        """No delivery."""
        del notice
        return []
