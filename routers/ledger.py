"""The decision ledger: decisions stay open until their revision deadline, so that news finds them.

A notice reaches an entry only if `decided < published <= deadline` and the entry is open when the
notice comes in; among those entries the router picks. What is recorded late is routed late: an
entry gets the stored notices that it would have received had it been recorded when it was decided.
The same class serves a simulated clock and the wall clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from os import PathLike, fspath
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Self

from routers.clock import Clock, or_never
from routers.database import MEMORY, Synchronous
from routers.delivery import Delivery
from routers.encoding.encoder import Encoder, described
from routers.entry import Entry
from routers.fields import Json, dumps, loads
from routers.intake import Intake
from routers.notice import Notice
from routers.ranking import checked_k
from routers.records import History, Received, Record, Standing, Taken
from routers.router import DEFAULT_ROUTER, Router, checked_name, make_router, uses_encoder
from routers.routing import Routing
from routers.settling import Answer, Settling
from routers.store import State, Store
from routers.times import EPOCH, TimeKind, read_epoch, read_time, shown, told
from routers.verdict import Verdict
from theory.errors import BadInput


class Ledger:
    """Decisions, the news published since, and who was sent what; in a file or in memory.

    Parameters
    ----------
    path : a file, made where there is none, or ":memory:". Several processes may use one file.
    router : a name (`routers.ROUTERS`) or an empty router. A file keeps the router, `k` and epoch
        with which it was made, and refuses others; by default `bm25-text`,
        3 and 1970.
    k : the most deliveries of one notice, unless its router is unbounded.
    encoder : what a dense router reads texts by, or its name (`routers.encoding.find`); by default
        all-MiniLM-L6-v2. A file keeps its name and the hashes of its files, and refuses another.
    clock : what time it is, in hours from the epoch or ISO 8601. By default the wall clock where
        times are ISO 8601, and the latest `decided` or `published` seen where they are numbers.
    epoch : where hours count from, ISO 8601 with an offset.
    synchronous : "full" also survives a loss of power, at a wait for the disk per operation.

    Every operation is one transaction: it is acknowledged by returning, survives the death of the
    process from then on, and leaves nothing behind where it raises. Refusals are `BadInput`. One
    ledger may be shared by threads.
    """

    def __init__(
        self,
        path: str | PathLike[str] = MEMORY,
        *,
        router: str | Router | None = None,
        k: int | None = None,
        encoder: Encoder | str | None = None,
        clock: Callable[[], float | str] | None = None,
        epoch: str | datetime | None = None,
        synchronous: Synchronous = "normal",
    ) -> None:
        self._encoder = encoder
        """What was asked for; a router that was handed in has its own."""
        self._lock = RLock()
        self._state: State | None = None
        """How far the ledger has come, while in a transaction."""
        asked = self._asked(router, k, epoch)
        if not Path(path).exists():  # what is refused must not leave a file behind
            self._encoder_for(router or DEFAULT_ROUTER)
        self._store = Store(fspath(path), synchronous=synchronous)
        try:
            made = self._identify(asked, router)
        except BaseException:
            self._store.disconnect()
            raise
        self.epoch = read_epoch(made.epoch)
        """Where hours count from."""
        self._clock = Clock(clock, self.epoch)
        given = None if isinstance(router, str) else router
        self._routing = Routing(self._store, lambda: given or self._made_router(made), self.epoch)
        parts = (self._store, self._routing, self._clock, self.epoch)
        self._intake, self._settling = Intake(*parts), Settling(*parts)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.disconnect()

    def disconnect(self) -> None:
        """Let go of the file; leaving a `with` block does it too."""
        self._store.disconnect()

    def open(self, entry: Entry | Json) -> list[Delivery]:
        """Record a decision; returns deliveries of stored notices published since `decided`."""
        return self.open_many([entry]).deliveries

    def open_many(self, entries: Iterable[Entry | Json]) -> Taken:
        """Record decisions as one transaction, all or none; tells which were there already."""
        return self.take(
            entry if isinstance(entry, Entry) else Entry.from_json(entry, epoch=self.epoch)
            for entry in entries
        )

    def publish(self, notice: Notice | Json) -> list[Delivery]:
        """Store a notice and route it; returns its deliveries, best first."""
        return self.publish_many([notice]).deliveries

    def publish_many(self, notices: Iterable[Notice | Json]) -> Taken:
        """Publish notices as one transaction, all or none; tells which were there already."""
        return self.take(
            notice if isinstance(notice, Notice) else Notice.from_json(notice, epoch=self.epoch)
            for notice in notices
        )

    def take(self, items: Iterable[Entry | Notice]) -> Taken:
        """Record decisions and publish notices, in this order, as one transaction, all or none.

        The clock is read as each of them comes.
        """
        taken = Taken([], [])
        with self.batch():
            self._intake.take(self._current(), items, taken)
        return taken

    def due(self, now: float | str | None = None, within: float = 0.0) -> list[Record]:
        """Open entries with `now <= deadline <= now + within` (hours), soonest first."""
        if math.isnan(within) or within < 0:
            raise BadInput("within", within, "must be >= 0 hours")
        with self._reading() as state:
            at = self._now(state) if now is None else read_time("now", now, self.epoch)
            return [
                self._settling.record(row, at) for row in self._store.entries_due(at, at + within)
            ]

    def end_routing(self, entry_id: str) -> None:
        """Let no more news reach an open entry, whose judge is being asked.

        Its verdict still counts up to its deadline.
        """
        with self.batch():
            self._settling.end_routing(self._current(), entry_id)

    def decide(self, entry_id: str, verdict: Verdict | Json) -> Record:
        """Give an open entry its verdict; at the deadline itself it still counts.

        A switch of an entry that asks for a person's word then waits for `confirm`.
        """
        return self.decide_many([(entry_id, verdict)])[0]

    def decide_many(self, answers: Iterable[Answer]) -> list[Record]:
        """Give open entries, by id, their verdicts as one transaction, all or none.

        The clock is read as each of them comes.
        """
        decided: list[Record] = []
        with self.batch():
            self._settling.decide(self._current(), answers, decided)
        return decided

    def confirm(self, entry_id: str) -> Record:
        """Give a person's word to a switch that waits for it, up to the deadline itself."""
        with self.batch():
            return self._settling.confirm(self._current(), entry_id)

    def close(self, entry_id: str) -> Record:
        """Withdraw an open or waiting entry: no news reaches it and nothing comes of it."""
        with self.batch():
            return self._settling.close(self._current(), entry_id)

    def records(self, *states: Standing) -> list[Record]:
        """Every entry, or those in one of `states`, in the order in which they were recorded."""
        with self._reading() as state:
            now = self._now(state)
            found = [self._settling.record(row, now) for row in self._store.entries()]
        return [record for record in found if not states or record.state in states]

    def notices(self, entry_id: str) -> list[Notice]:
        """The notices that an entry received, in order of publication: what its judge reads."""
        return [found.notice for found in self.history(entry_id).received]

    def history(self, entry_id: str) -> History:
        """An entry, what became of it and the notices it received."""
        with self._reading() as state:
            row = self._settling.row(entry_id)
            received = [
                Received(notice.notice(self.epoch), score)
                for notice, score in self._store.received(row.seq)
            ]
            return History(self._settling.record(row, self._now(state)), received)

    @property
    def times(self) -> TimeKind | None:
        """How its times are written; None until the first is."""
        with self._reading() as state:
            return state.times

    def now(self) -> float:
        """What time it is for the ledger, in hours; -inf where nothing has been recorded."""
        with self._reading() as state:
            return self._now(state)

    def forget(self, before: float | str) -> int:
        """Drop the notices published up to `before` that wait in no entry; returns how many.

        To be called with a time that every coming `decided` and `published` lies beyond, so that a
        long run needs no more room than its open window: entries decided earlier, which might
        have missed news, are refused from then on, and notices published up to then too. A notice
        waits in an entry until that one's deadline is past or it is closed.
        """
        until = read_time("before", before, self.epoch)
        with self.batch():
            state = self._current()
            now = self._now(state)
            if until > now:
                rule = f"must not be after now, {told(now, state.times, self.epoch)}"
                raise BadInput("before", shown(until), rule)
            state.forgotten = max(until, or_never(state.forgotten))
            return self._store.forget(until, now=now)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Several operations as one transaction: many times faster, acknowledged at the end.

        Other processes that write wait meanwhile. An exception that leaves the block undoes it
        all; an `open`, `publish`, `decide`, `confirm` or `close` that is refused changes nothing,
        so its `BadInput` may be caught inside.
        """
        with self._lock:
            if self._state is not None:
                yield
                return
            try:
                with self._store.writing():
                    self._state = self._known_state()
                    self._routing.follow(self._state.seq)
                    yield
                    self._store.save(self._state)
                self._routing.keep(self._state.seq)
            except BaseException:
                self._routing.undo()
                raise
            finally:
                self._state = None

    @contextmanager
    def _reading(self) -> Iterator[State]:
        with self._lock:
            if self._state is not None:
                yield self._state
            else:
                with self._store.reading():
                    yield self._known_state()

    def _asked(
        self, router: str | Router | None, k: int | None, epoch: str | datetime | None
    ) -> dict[str, str | int]:
        """What was asked for, checked before there is a file."""
        asked: dict[str, str | int] = {}
        if isinstance(router, str):
            asked["router"] = checked_name(router)
        elif router is not None:
            if k not in (None, router.k):
                raise BadInput("k", k, f"must be the router's, {router.k}")
            asked["router"], k = router.name, router.k
        if k is not None:
            asked["k"] = checked_k(k)
        if epoch is not None:
            asked["epoch"] = read_epoch(epoch).isoformat()
        return asked

    def _identify(self, asked: Mapping[str, str | int], router: str | Router | None) -> State:
        """What the file says that it is; a new one becomes what was asked for."""
        with self._store.reading():
            state = self._store.state()
        if state is None:
            with self._store.writing():
                # Another process may have been faster.
                if (state := self._store.state()) is None:
                    state = State(**(_BY_DEFAULT | dict(asked)))
                    if (encoder := self._encoder_for(router or DEFAULT_ROUTER)) is not None:
                        state.encoder = dumps(described(encoder))
                    self._store.create(state)
        elif state.encoder is None:
            self._refuse_encoder()
        for name, wanted in asked.items():
            kept = getattr(state, name)
            if wanted != kept:
                raise BadInput(name, wanted, f"must be {kept}, with which this ledger was made")
        return state

    def _encoder_for(self, router: str | Router) -> Encoder | None:
        """The encoder that the router of a new file reads by, if it does."""
        if isinstance(router, str) and uses_encoder(router):
            self._encoder = _found(self._encoder)
            return self._encoder
        self._refuse_encoder()
        own: Encoder | None = getattr(router, "encoder", None)
        return own

    def _refuse_encoder(self) -> None:
        """Refuse an encoder that was given for nothing."""
        if self._encoder is not None:
            given = self._encoder if isinstance(self._encoder, str) else self._encoder.name
            rule = "must not be given: the router reads by none, or was handed in with its own"
            raise BadInput("encoder", given, rule)

    def _made_router(self, made: State) -> Router:
        """The router that the file names, with the very encoder with which it was made."""
        if made.encoder is None:
            return make_router(made.router, k=made.k)
        kept = loads(made.encoder)
        encoder = _found(kept["name"] if self._encoder is None else self._encoder)
        if encoder.sha256 != kept["sha256"]:
            rule = f"must be {kept['name']} as it was when this ledger was made: its files differ"
            raise BadInput("encoder", encoder.name, rule)
        return make_router(made.router, k=made.k, encoder=encoder)

    def _known_state(self) -> State:
        state = self._store.state()
        if state is None:
            raise BadInput("db", self._store.path, "must be a whole ledger: it lost its first row")
        return state

    def _current(self) -> State:
        assert self._state is not None, "only inside a transaction"
        return self._state

    def _now(self, state: State) -> float:
        return self._clock.now(state.times, or_never(state.latest), self._clock.reading())


_BY_DEFAULT: dict[str, Any] = {"router": DEFAULT_ROUTER, "k": 3, "epoch": EPOCH.isoformat()}


def _found(encoder: Encoder | str | None) -> Encoder:
    """An encoder given itself, or by its name; what reads weights is loaded only here."""
    from routers.encoding.find import as_encoder

    return as_encoder(encoder)
