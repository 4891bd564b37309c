"""A ledger's router at work: its index follows the store, through what is undone as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice, starmap

from routers.delivery import Delivery
from routers.entry import Entry
from routers.fields import loads, restore
from routers.index import Arrival, Index, Known, Made, RouteThen
from routers.router import Router
from routers.store import Store

BLOCK = 30
"""Entries that are read together."""


class Routing:
    """The index of one ledger's router, made from the store at the first need of it.

    Every method is called inside a transaction, which ends with `keep` or `undo`.
    """

    def __init__(self, store: Store, router: Callable[[], Router], epoch: datetime) -> None:
        self._store = store
        self._make = router
        self._epoch = epoch
        self._router: Router | None = None
        self._index: Index | None = None
        self._leads = False
        """Whether the index has taken in changes that are yet to be committed."""

    def follow(self, seq: int) -> None:
        """Take in what other processes opened and ended, up to the latest change."""
        index = self._index
        if index is not None and index.seen < seq:
            index.take_in(
                opened=starmap(self._known, self._store.entries_opened_since(index.seen)),
                ended=self._store.entries_ended_since(index.seen),
            )
            index.seen = seq

    def opened(self, known: Known) -> None:
        """Take in an entry that this transaction recorded."""
        if self._index is not None:
            self._leads = True
            self._index.take_in(opened=[known])

    def ended(self, entry_id: str) -> None:
        """Take in that this transaction ended an entry."""
        if self._index is not None:
            self._leads = True
            self._index.take_in(ended=[entry_id])

    def route(self, arrival: Arrival, *, now: float) -> list[Made]:
        """The deliveries of a new notice."""
        index = self._built(min(now, arrival.notice.published), now)
        if index.is_ahead(arrival, now=now):
            return index.route(arrival)
        with self._excursion(index, [arrival]) as route:
            return route(arrival)

    def catch_up(
        self, seq: int, arrivals: Sequence[Arrival], *, now: float
    ) -> Iterator[tuple[int, Delivery]]:
        """What the entry recorded as change `seq` receives of stored notices, by their `seq`."""
        if arrivals:
            with self._excursion(self._built(now, now), arrivals) as route:
                for arrival in arrivals:
                    for entry_seq, delivery in route(arrival):
                        if entry_seq == seq:
                            yield arrival.seq, delivery

    def keep(self, seq: int) -> None:
        """The transaction was committed; `seq` was its last change."""
        self._leads = False
        if self._index is not None:
            self._index.seen = seq

    def undo(self) -> None:
        """The transaction was undone: an index that had taken it in is made anew from the store."""
        if self._index is not None and self._leads:
            self._index.clear()
            self._index = None
        self._leads = False

    def _built(self, after: float, until: float) -> Index:
        if self._index is None:
            if self._router is None:
                self._router = self._make()
            self._index = Index(self._router, after=after, until=until)
            self._leads = True
            rows = self._store.entries_open(until)
            # To make a thousand entries and then to take them in is faster than to take turns.
            while block := list(islice(rows, BLOCK)):
                self._index.take_in(opened=list(starmap(self._known, block)))
        return self._index

    @contextmanager
    def _excursion(self, index: Index, arrivals: Sequence[Arrival]) -> Iterator[RouteThen]:
        decided, due = index.spans(arrivals)
        oldest = min(arrival.seq for arrival in arrivals)
        rows = self._store.entries_that_vary(decided, due, oldest)
        with index.excursion(rows, lambda row: row.entry(self._epoch)) as route:
            yield route

    def _known(self, seq: int, document: str) -> Known:
        return Known(seq, restore(Entry, loads(document), epoch=self._epoch))
