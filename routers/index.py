"""A router's index in memory, kept equal to the open entries in the store.

The router holds the entries that a notice of this moment may reach: decided before it, due at or
after it, without a verdict and not closed. Each new notice moves that moment forward, which opens
and closes entries in the router. A notice or an entry that was recorded late is routed on an
excursion: the few entries that make the difference are put in or taken out, and back again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from routers.delivery import Delivery
from routers.entry import Entry
from routers.notice import Notice
from routers.router import NotConforming, Router
from routers.store import EntryRow

Span: TypeAlias = tuple[float, float]
"""A half-open interval of times."""

Made: TypeAlias = tuple[int, Delivery]
"""A delivery, after the `seq` of its entry."""

RouteThen: TypeAlias = Callable[["Arrival"], list[Made]]


class Known(NamedTuple):
    """An entry that has not ended."""

    seq: int
    """The change that recorded it."""
    entry: Entry


class Arrival(NamedTuple):
    """A notice and when it came in, which decides among which entries it is routed."""

    notice: Notice
    time: float
    """What the ledger's clock said, or `published` where that is later."""
    seq: int
    """The change that recorded it; entries that ended before it could not receive it."""


class Index:
    """The entries that a router holds, and those that it will."""

    def __init__(self, router: Router, *, after: float, until: float) -> None:
        self.router = router
        self.seen = 0
        """The latest change that was taken in."""
        self._after = after
        """The router holds entries decided before this,"""
        self._until = until
        """and due at or after this."""
        self._held: dict[str, int] = {}
        """The `seq` of each entry in the router."""
        self._coming: dict[str, Known] = {}
        """Entries recorded, but decided at or after `_after`."""
        self._starts: list[tuple[float, str]] = []
        """Heap of when they were decided; an id that has ended since is passed over."""
        self._ends: list[tuple[float, str]] = []
        """Heap of the deadlines of held entries; likewise."""

    def take_in(self, *, opened: Iterable[Known] = (), ended: Iterable[str] = ()) -> None:
        """Follow the store: entries that were recorded, then ids of entries that ended."""
        for known in opened:
            if known.entry.deadline < self._until:
                continue
            if known.entry.decided < self._after:
                self._hold(known)
            else:
                self._coming[known.entry.id] = known
                heappush(self._starts, (known.entry.decided, known.entry.id))
        for entry_id in ended:
            self._coming.pop(entry_id, None)
            self._drop(entry_id)

    def clear(self) -> None:
        """Empty the router."""
        for entry_id in list(self._held):
            self._drop(entry_id)

    def is_ahead(self, arrival: Arrival, *, now: float) -> bool:
        """Whether the router can move forward to a notice, rather than make an excursion."""
        return self._after <= arrival.notice.published <= now and self._until <= arrival.time

    def route(self, arrival: Arrival) -> list[Made]:
        """Move forward to a notice and route it."""
        self._after, self._until = arrival.notice.published, arrival.time
        while self._starts and self._starts[0][0] < self._after:
            known = self._coming.pop(heappop(self._starts)[1], None)
            if known is not None:
                self._hold(known)
        while self._ends and self._ends[0][0] < self._until:
            self._drop(heappop(self._ends)[1])
        return self._deliver(arrival.notice)

    def spans(self, arrivals: Sequence[Arrival]) -> tuple[Span, Span]:
        """Of the entries whose place differs between now and these notices: decided, or due, in."""
        published = [self._after, *(arrival.notice.published for arrival in arrivals)]
        times = [self._until, *(arrival.time for arrival in arrivals)]
        return (min(published), max(published)), (min(times), max(times))

    @contextmanager
    def excursion(
        self, rows: Sequence[EntryRow], read: Callable[[EntryRow], Entry]
    ) -> Iterator[RouteThen]:
        """Route notices among the entries they were published to; `rows` are those that differ."""

        def route(arrival: Arrival) -> list[Made]:
            for row in rows:
                self._set(row, read, held=_could_receive(row, arrival))
            return self._deliver(arrival.notice)

        try:
            yield route
        finally:
            for row in rows:
                self._set(row, read, held=self._belongs(row))

    def _deliver(self, notice: Notice) -> list[Made]:
        try:
            return [(self._held[made.entry], made) for made in self.router.route(notice.public())]
        except KeyError as error:
            rule = f"the router {self.router.name} delivered to {error}, which is not open"
            raise NotConforming(rule) from error

    def _hold(self, known: Known) -> None:
        self.router.open(known.entry.public())
        self._held[known.entry.id] = known.seq
        heappush(self._ends, (known.entry.deadline, known.entry.id))

    def _drop(self, entry_id: str) -> None:
        if entry_id in self._held:
            self.router.close(entry_id)
            del self._held[entry_id]

    def _set(self, row: EntryRow, read: Callable[[EntryRow], Entry], *, held: bool) -> None:
        if held and row.id not in self._held:
            self.router.open(read(row).public())
            self._held[row.id] = row.seq
        elif not held:
            self._drop(row.id)

    def _belongs(self, row: EntryRow) -> bool:
        return row.decided < self._after and self._until <= row.deadline and row.ended is None


def _could_receive(row: EntryRow, arrival: Arrival) -> bool:
    """Whether a notice may reach an entry: in its window, and open when the notice came in."""
    return (
        row.decided < arrival.notice.published
        and arrival.time <= row.deadline
        and (row.ended is None or row.ended > arrival.seq)
    )
