"""The router that sends everything everywhere: full recall, and every judge reads all the news."""

from __future__ import annotations

from routers.delivery import Delivery
from routers.entry import Entry
from routers.notice import Notice


class Broadcast:
    """Delivers every notice to every open entry, with score 1."""

    name = "broadcast"
    unbounded = True
    gold = False

    def __init__(self, *, k: int = 3) -> None:
        self.k = k
        self._open: set[str] = set()

    def open(self, entry: Entry) -> None:
        """Take in an entry."""
        self._open.add(entry.id)

    def close(self, entry_id: str) -> None:
        """Forget an open entry."""
        self._open.remove(entry_id)

    def route(self, notice: Notice) -> list[Delivery]:
        """A delivery to every open entry, by entry id."""
        return [Delivery(notice.id, entry, 1.0) for entry in sorted(self._open)]
