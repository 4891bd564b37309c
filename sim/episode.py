"""An episode: a stream of decisions and news through the ledger, a router and a judge, on a clock.

The clock is SimPy's, the ledger that of the live commands. A decision opens at `decided` and is
routed to while it is open. Its judge is asked at `deadline - lead`, where its routing window ends;
a call takes `service` hours and may wait for one of the `slots`. A verdict after the deadline does
not count: the choice stands, and the decision is reported as missed. What stands at the deadline
is carried out at `action`, and the episode goes on until every outcome has been seen.

Neither router nor judge is handed anything but the public part of the stream.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import polars as pl
import simpy

from llm import Judge
from llm.reading import count_of
from routers import Delivery, Entry, Ledger, Notice, Router, Verdict
from routers.preparing import prepare
from routers.time_filter import TimeFilter
from routers.verdict import Choice
from sim.asking import INSTANT, Asking
from sim.clock import Process
from sim.columns import CALLS, DECISIONS, DELIVERIES, DROPS, Rows
from sim.happenings import ASK, Happening, stretches
from sim.streams.collector import collector_spared
from sim.streams.stream import Stream

BATCH = 1_000
"""Happenings, or steps of the clock, in one transaction of the ledger."""
FORGET = 50_000
"""Notices after which the ledger drops those that wait in no decision."""
LARGE = 5_000
"""Decisions beyond which the ledger lies in a temporary file rather than in memory."""


@dataclass(frozen=True)
class Episode:
    """What happened in one episode."""

    decisions: pl.DataFrame
    """A row a decision, in the stream's order: `decision`; `decided`, `deadline`, `action`,
    `outcome`; `asked`, when its judge was; `received`, the notices by then; `called`, whether a
    judge read them; `verdict`, what it said, if it did; `invalid`, why a model's answer could not
    be used and is kept as keep, null if it could; `missed`, whether the verdict came too late;
    `choice`, keep or switch, as carried out; `input_tokens` of its call, 0 without one."""
    deliveries: pl.DataFrame
    """A row a delivery, in order of publication, the best of each notice first: `decision`,
    `notice`, `published`, `score`."""
    calls: pl.DataFrame
    """A row a call of the judge, in the order in which they ended: `decision`, `asked`, `started`,
    `finished`, `verdict`, `counted`, `reason`, `invalid`, `question` (the digest of what a model
    was asked, as in `sim.answers`), `input_tokens`, and `tokens` and `latency` as the judge told
    them."""
    drops: pl.DataFrame
    """A row a delivery that the router's time filter dropped, in order of publication:
    `decision`, `notice`, `score`."""
    parameters: Mapping[str, object]
    """Stream, router, k, judge, whether they used gold or are simulated, lead, service, slots."""


def episode(
    stream: Stream,
    router: Router,
    judge: Judge,
    *,
    asking: Asking = Asking(),  # noqa: B008 (frozen)
    batched: bool = True,
    advance: Callable[[int], object] = lambda _: None,
) -> Episode:
    """Run a stream through an empty router and a judge.

    `batched` puts many operations of the ledger into one transaction, and those of a stretch of
    time together where no verdict bears on it: that changes nothing but the time it takes.
    `advance` is called with the number of notices published since.
    """
    parameters = {
        "stream": stream.name,
        "router": router.name,
        "k": router.k,
        "judge": judge.name,
        "gold": router.gold,
        "simulated": judge.simulated,
        "lead": asking.lead,
        "service": asking.service,
        "slots": asking.slots,
    }
    prepare(
        router,
        (entry.public() for entry in stream.decisions),
        (notice.public() for notice in stream.notices),
    )
    # The stream is as large as it is; what is made of it in passing is little.
    with _ledger_path(stream) as path, collector_spared():
        run = _Run(stream, router, judge, asking, path)
        run.play(batched=batched, advance=advance)
    return Episode(*run.frames(), parameters)


@contextmanager
def _ledger_path(stream: Stream) -> Iterator[str]:
    """Memory, or a file that vanishes afterwards where the ledger grows large."""
    if len(stream.decisions) <= LARGE:
        yield ":memory:"
    else:
        with tempfile.TemporaryDirectory(prefix="bestbefore-") as folder:
            yield str(Path(folder, "ledger.db"))


class _Run:
    """One episode under way."""

    def __init__(
        self, stream: Stream, router: Router, judge: Judge, asking: Asking, path: str
    ) -> None:
        self._stream, self._judge, self._asking = stream, judge, asking
        self._count = count_of(judge)
        self._env = simpy.Environment(_beginning(stream))
        self._slots = simpy.Resource(self._env, asking.slots or sys.maxsize)
        self._now = -math.inf
        """What the ledger's clock says: exact, where SimPy's adds up waits with rounding."""
        self._reached = -math.inf
        """When the latest happening was; none of those to come is earlier."""
        self._ledger = Ledger(path, router=router, clock=lambda: self._now, epoch=stream.epoch)

        self._numbers = {entry.id: number for number, entry in enumerate(stream.decisions)}
        self._ends = [_End() for _ in stream.decisions]
        self._unread: dict[int, list[Notice]] = {}
        """What each decision's judge is to read, in order of publication: the ledger's own
        notices of it, without reading them back."""
        self._deliveries, self._calls = Rows(DELIVERIES), Rows(CALLS)
        self._drops = Rows(DROPS)
        if isinstance(router, TimeFilter):
            router.tell = self._drop
        self._happened = self._published = 0

    def play(self, *, batched: bool, advance: Callable[[int], object]) -> None:
        """Run the clock until every outcome has been seen."""
        self._env.process(self._happen(longest=BATCH if batched else 1))
        told = forgotten = 0
        with self._ledger as ledger:
            while self._env.peek() < math.inf:
                with ledger.batch() if batched else nullcontext():
                    self._step()
                if self._published - forgotten >= FORGET:
                    self._now = self._reached
                    ledger.forget(math.nextafter(self._reached, -math.inf))
                    forgotten = self._published
                advance(self._published - told)
                told = self._published

    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
        """Decisions, deliveries, calls and drops."""
        decisions = Rows(DECISIONS)
        for entry, end in zip(self._stream.decisions, self._ends, strict=True):
            decisions.add(
                entry.id,
                entry.decided,
                entry.deadline,
                entry.action,
                entry.outcome,
                self._asking.moment(entry),
                end.received,
                end.called,
                end.verdict,
                end.invalid,
                end.missed,
                end.choice,
                end.input_tokens,
            )
        return (
            decisions.frame(),
            self._deliveries.frame(),
            self._calls.frame(),
            self._drops.frame(),
        )

    def _step(self) -> None:
        """Go on until there has been enough for one transaction."""
        enough = self._happened + BATCH
        for _ in range(BATCH):
            if self._env.peek() == math.inf or self._happened >= enough:
                return
            self._env.step()

    def _happen(self, *, longest: int) -> Process:
        """Let everything happen at its time, and wait for the last outcome."""
        env = self._env
        for stretch in stretches(self._stream, self._asking, longest=longest):
            if (wait := stretch[-1].time - env.now) > 0:
                yield env.timeout(wait)
            self._take(stretch)
            self._ask([it.number for it in stretch if it.kind == ASK])
            self._happened += len(stretch)
            self._reached = stretch[-1].time
        yield env.timeout(max(_end(self._stream) - env.now, 0.0))

    def _take(self, stretch: Sequence[Happening]) -> None:
        """Open the decisions and publish the news of a stretch of time."""
        made = self._ledger.take(self._coming(stretch)).deliveries
        news = {it.item.id: it.item for it in stretch if isinstance(it.item, Notice)}
        self._published += len(news)
        for delivery in made:
            notice, number = news[delivery.notice], self._numbers[delivery.entry]
            self._ends[number].received += 1
            self._unread.setdefault(number, []).append(notice)
            self._deliveries.add(delivery.entry, notice.id, notice.published, delivery.score)

    def _drop(self, delivery: Delivery) -> None:
        self._drops.add(delivery.entry, delivery.notice, delivery.score)

    def _coming(self, stretch: Sequence[Happening]) -> Iterator[Entry | Notice]:
        """What comes to the ledger, while its clock says that it does."""
        for time, kind, _, item in stretch:
            if kind != ASK:
                self._now = time
                yield item

    def _ask(self, numbers: Sequence[int]) -> None:
        """Ask the judges of decisions, in this order; one that received nothing has none."""
        calls = []
        for number in numbers:
            entry = self._stream.decisions[number]
            asked = self._asking.moment(entry)
            if self._asking.lead:  # without, the window ends by itself
                self._now = asked
                self._ledger.end_routing(entry.id)
            if (notices := self._unread.pop(number, None)) is None:
                continue
            if self._asking.service:
                self._env.process(self._call_in_time(number, notices))
            else:
                calls.append(_Call(number, notices, asked, asked))
        self._call(calls)

    def _call_in_time(self, number: int, notices: list[Notice]) -> Process:
        """Make a call that takes time; one that finds no slot by its deadline is not made."""
        env, deadline = self._env, self._stream.decisions[number].deadline
        with self._slots.request() as slot:
            if not slot.triggered:
                yield slot | env.timeout(max(deadline - env.now, 0.0))
            if not slot.triggered:
                self._ends[number].missed = True
                return
            started = env.now
            yield env.timeout(self._asking.service)
        self._call([_Call(number, notices, started, env.now)])

    def _call(self, calls: Sequence[_Call]) -> None:
        """Have judges read, and give the ledger each verdict unless the deadline is past."""
        in_time: list[tuple[_Call, Verdict]] = []
        for call in calls:
            entry, end = self._stream.decisions[call.number].public(), self._ends[call.number]
            verdict = self._judge.judge(entry, [notice.public() for notice in call.notices])
            end.called = True
            end.verdict = verdict.choice
            end.invalid = verdict.extra.get("invalid")
            end.input_tokens = self._count(entry, call.notices)
            end.missed = call.finished > entry.deadline + INSTANT
            if not end.missed:
                in_time.append((call, verdict))
            self._calls.add(
                entry.id,
                self._asking.moment(entry),
                call.started,
                call.finished,
                verdict.choice,
                not end.missed,
                verdict.reason,
                end.invalid,
                verdict.extra.get("asked"),
                end.input_tokens,
                verdict.tokens,
                verdict.latency,
            )
        records = self._ledger.decide_many(self._answers(in_time)) if in_time else []
        for (call, _), record in zip(in_time, records, strict=True):
            # A switch that waits for a person's word, which nobody gives here, expires to keep.
            self._ends[call.number].choice = record.outcome or "keep"

    def _answers(self, in_time: Sequence[tuple[_Call, Verdict]]) -> Iterator[tuple[str, Verdict]]:
        """Verdicts for the ledger, while its clock says that they are given."""
        for call, verdict in in_time:
            entry = self._stream.decisions[call.number]
            self._now = min(call.finished, entry.deadline)
            yield entry.id, verdict


class _Call(NamedTuple):
    """A call of a judge."""

    number: int
    """Of the decision."""
    notices: list[Notice]
    """What it reads."""
    started: float
    finished: float


@dataclass(slots=True)
class _End:
    """What came of one decision."""

    received: int = 0
    called: bool = False
    verdict: Choice | None = None
    invalid: str | None = None
    missed: bool = False
    choice: Choice = "keep"
    input_tokens: int = 0


def _beginning(stream: Stream) -> float:
    """When the first decision is made or the first notice comes out."""
    first = [entry.decided for entry in stream.decisions[:1]]
    first += [notice.published for notice in islice(stream.notices, 1)]
    return min(first, default=0.0)


def _end(stream: Stream) -> float:
    """When the last outcome is seen."""
    return max((entry.outcome or entry.deadline for entry in stream.decisions), default=0.0)
