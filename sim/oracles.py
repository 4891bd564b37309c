"""Routers that know the truth: what perfect routing would deliver.

They are built around a lookup of gold, declare so, and send a notice to every open decision that it
concerns, however many those are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from routers import Delivery, Entry, Notice
from routers.ranking import checked_k
from sim.streams.stream import RELATED, Gold, Relation

ORACLES: Mapping[str, tuple[Relation, ...]] = {"decisive": ("decisive",), "related": RELATED}
"""What each oracle delivers: by relation of the notice to the decision."""


def make_oracle(name: str, gold: Gold, *, k: int = 3) -> Oracle:
    """The oracle of this name for a stream's gold, empty; `k` does not bound it."""
    relations = ORACLES[name]
    concerned: dict[str, list[str]] = {}
    for truth in gold.truths.values():
        for notice, relation in truth.notices:
            if relation in relations:
                concerned.setdefault(notice, []).append(truth.decision)
    return Oracle(name, lambda notice: concerned.get(notice, ()), k=k)


class Oracle:
    """Delivers each notice to the open decisions that a lookup names, with score 1."""

    unbounded = True
    gold = True

    def __init__(
        self, name: str, concerned: Callable[[str], Collection[str]], *, k: int = 3
    ) -> None:
        """`concerned` gives the ids of the decisions that a notice is to reach, by its id."""
        self.name = name
        self.k = checked_k(k)
        self._concerned = concerned
        self._open: set[str] = set()

    def open(self, entry: Entry) -> None:
        """Take in an entry."""
        self._open.add(entry.id)

    def close(self, entry_id: str) -> None:
        """Forget an open entry."""
        self._open.remove(entry_id)

    def route(self, notice: Notice) -> list[Delivery]:
        """Deliveries to the open entries that it concerns, by entry id."""
        reached = sorted(self._open.intersection(self._concerned(notice.id)))
        return [Delivery(notice.id, entry, 1.0) for entry in reached]
