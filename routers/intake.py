"""What comes into a ledger: entries and notices are checked, told from duplicates, routed, stored.

Items are taken in blocks: the clock is read as each comes, then the store is asked once which ids
of the block it knows, then each is routed in turn. What comes of it is the same as one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TypeAlias, TypeVar

from routers.clock import Clock
from routers.entry import Entry
from routers.fields import dumps, loads
from routers.index import Arrival, Known
from routers.notice import Notice
from routers.records import Ignored, Taken
from routers.routing import Routing
from routers.store import State, Store
from routers.times import TimeKind, shown, told
from theory.errors import BadInput

BLOCK = 1_000
"""Items in a block."""

Item = TypeVar("Item", Entry, Notice)

Coming: TypeAlias = tuple[Entry | Notice, float | None]
"""An item, and what the ledger's clock said when it came."""


class Intake:
    """Takes entries and notices into a store; all of it is called inside a transaction."""

    def __init__(self, store: Store, routing: Routing, clock: Clock, epoch: datetime) -> None:
        self._store = store
        self._routing = routing
        self._clock = clock
        self._epoch = epoch

    def take(self, state: State, items: Iterable[Entry | Notice], taken: Taken) -> None:
        """Record decisions and publish notices; where one is refused, those before it stay."""
        items, more = iter(items), True
        while more:
            block: list[Coming] = []
            try:
                block.extend((item, self._clock.reading()) for item in islice(items, BLOCK))
            finally:
                self._take(state, block, taken)
            more = len(block) == BLOCK

    def _take(self, state: State, block: list[Coming], taken: Taken) -> None:
        entries, notices = self._known(block)
        for item, reading in block:
            if item.epoch != self._epoch:
                rule = f"must be the ledger's epoch, {self._epoch.isoformat()}"
                raise BadInput("epoch", item.epoch.isoformat(), rule)
            kind = item.kind
            if state.times not in (None, kind):
                field, time = _moment(item)
                form = "hours" if state.times == "number" else "ISO 8601"
                raise BadInput(field, shown(time), f"must be {form}, as this ledger's times are")
            if isinstance(item, Notice):
                if not _is_duplicate(item, notices, taken):
                    self._publish(state, item, kind, reading, taken)
                    notices[item.id] = item
            elif not _is_duplicate(item, entries, taken):
                self._open(state, item, kind, reading, taken)
                entries[item.id] = item

    def _known(self, block: list[Coming]) -> tuple[dict[str, Entry], dict[str, Notice]]:
        """What the store has of the block's ids."""
        entries = [item.id for item, _ in block if isinstance(item, Entry)]
        notices = [item.id for item, _ in block if isinstance(item, Notice)]
        return (
            {row.id: row.entry(self._epoch) for row in self._store.entries_named(entries)},
            {row.id: row.notice(self._epoch) for row in self._store.notices_named(notices)},
        )

    def _open(
        self, state: State, entry: Entry, kind: TimeKind, reading: float | None, taken: Taken
    ) -> None:
        self._check_remembered(state, entry, at=True)
        latest = state.latest_with(entry.decided)
        now = self._clock.now(kind, latest, reading)
        if entry.deadline < now:
            rule = f"must not be past: it is {self._tell(state, now)} now"
            raise BadInput("deadline", shown(entry.deadline), rule)
        known = Known(state.seq + 1, entry)
        self._store.add_entry(known.seq, entry, at=now)
        state.seq, state.times, state.latest = known.seq, kind, latest
        self._routing.opened(known)
        if entry.decided < latest:
            self._catch_up(known, now, taken)

    def _catch_up(self, known: Known, now: float, taken: Taken) -> None:
        """Route the stored notices of a late entry's window; what others received stays."""
        arrivals = [
            Arrival(row.notice(self._epoch), row.arrived, row.seq)
            for row in self._store.notices_between(known.entry.decided, known.entry.deadline)
        ]
        for notice_seq, delivery in self._routing.catch_up(known.seq, arrivals, now=now):
            self._store.add_delivery((known.seq, notice_seq, delivery.score))
            taken.deliveries.append(delivery)

    def _publish(
        self, state: State, notice: Notice, kind: TimeKind, reading: float | None, taken: Taken
    ) -> None:
        published = notice.published
        self._check_remembered(state, notice, at=False)
        latest = state.latest_with(published)
        now = self._clock.now(kind, latest, reading)
        arrival = Arrival(notice, max(now, published), state.seq + 1)
        self._store.add_notice(arrival.seq, notice, arrived=arrival.time)
        state.seq, state.times, state.latest = arrival.seq, kind, latest
        for entry_seq, delivery in self._routing.route(arrival, now=now):
            self._store.add_delivery((entry_seq, arrival.seq, delivery.score))
            taken.deliveries.append(delivery)

    def _check_remembered(self, state: State, item: Entry | Notice, *, at: bool) -> None:
        """Refuse what is from before notices were dropped; `at` that very time is still fine."""
        if state.forgotten is None:
            return
        field, time = _moment(item)
        if time < state.forgotten or (time == state.forgotten and not at):
            relation = "at or after" if at else "after"
            until = self._tell(state, state.forgotten)
            rule = f"must be {relation} {until}: notices up to then were dropped"
            raise BadInput(field, shown(time), rule)

    def _tell(self, state: State, hours: float) -> str:
        """A time in the ledger's way, for error lines."""
        return told(hours, state.times, self._epoch)


def _is_duplicate(item: Item, known: dict[str, Item], taken: Taken) -> bool:
    """Whether the item is there already, which is noted; refused if its id has other content."""
    kept = known.get(item.id)
    if kept is None:
        return False
    if item != _as_kept(kept):
        raise BadInput("id", item.id, "must be new: this id was recorded with other content")
    taken.ignored.append(Ignored(item.id, "recorded before, with the same content"))
    return True


def _as_kept(item: Item) -> Item:
    """An item as it comes back from the store: its unknown fields have been through JSON."""
    return replace(item, extra=loads(dumps(dict(item.extra)))) if item.extra else item


def _moment(item: Entry | Notice) -> tuple[str, float]:
    """The time at which an item takes its place, after its field."""
    if isinstance(item, Notice):
        return "published", item.published
    return "decided", item.decided
