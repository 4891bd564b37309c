"""Notices a second through an episode, at 1,000 and at 100,000 open decisions."""

from __future__ import annotations

import time
from collections.abc import Sequence

from benchmarks.figure import Figure
from llm.judge import NO_NEWS
from routers import Entry, Notice, Verdict, make_router
from routers.times import EPOCH
from sim import episode
from sim.streams import Stream, make_stream

FEW, MANY = 1_000, 100_000
EACH = 3
"""Notices for each decision that opens, one of them by its name: as in the stream INDIRECT."""
ROUNDS = {FEW: 3, MANY: 1}
SOON = 500
"""Hours until the deadline of the decision that a notice names: its judge is called meanwhile."""


def measure(*, full: bool) -> list[Figure]:
    """Of the cheap routers: the rate at few and at many open decisions, and how they compare."""
    notices = 30_000 if full else 12_000
    streams = {opened: _stream(opened, notices) for opened in (FEW, MANY)}
    made = make_stream("indirect", seed=0, decisions=6 * FEW, open_decisions=FEW).stream
    figures = []
    for router in ("none", "name"):
        few, many = (
            max(_rate(router, streams[opened]) for _ in range(ROUNDS[opened]))
            for opened in (FEW, MANY)
        )
        measured = {f"on INDIRECT at {FEW:,} open": _rate(router, made)}
        both = {f"at {FEW:,} open": few, f"at {MANY:,} open": many}
        figures += [
            Figure(f"{router}: notices a second, {FEW:,} open", few, 20_000, "at least", measured),
            Figure(f"{router}: times slower at {MANY:,} open", few / many, 3, "at most", both),
        ]
    return figures


def _rate(router: str, stream: Stream) -> float:
    """Notices a second of processor time, from the first one on."""
    stamps: list[tuple[float, int]] = []
    episode(
        stream,
        make_router(router),
        _Keeping(),
        advance=lambda count: stamps.append((time.process_time(), count)),
    )
    busy = [(at, count) for at, count in stamps if count]
    return sum(count for _, count in busy[1:]) / (busy[-1][0] - busy[0][0])


class _Keeping:
    """A judge that takes no time: the episode is measured, and not who reads."""

    name = "keeping"
    simulated = True
    gold = False

    def judge(self, entry: Entry, notices: Sequence[Notice]) -> Verdict:
        del entry, notices
        return NO_NEWS


def _stream(opened: int, notices: int) -> Stream:
    """So many decisions open from the start; one ends and one opens every third notice."""
    decisions = opened + notices // EACH
    return Stream(
        "benchmark",
        EPOCH,
        tuple(_entry(number, number - opened, number) for number in range(decisions)),
        tuple(_notice(number) for number in range(notices)),
    )


def _notice(number: int) -> Notice:
    at = number / EACH
    named = f"Yew{number} Barn" if number % EACH else f"Alder{int(at) + SOON} Hall"
    text = f"{named} will be closed from 14:00 on 12 May 2035 owing to a gas leak in the cellar."
    return Notice(id=f"n{number}", published=at + 0.1, text=text)


def _entry(number: int, decided: float, deadline: float) -> Entry:
    hall = f"Alder{number} Hall"
    return Entry(
        id=f"d{number}",
        written=decided - 2,
        verified=decided - 1,
        decided=decided,
        deadline=deadline + 1,
        action=deadline + 2,
        activity_end=deadline + 4,
        outcome=deadline + 4,
        options=(hall, f"Birch{number} Hall"),
        text=f"The concert is at {hall} on 12 May 2035; otherwise at Birch{number} Hall.",
        background=(
            f"{hall} is also known as the Chestnut{number} Rooms.",
            f"The Douglas{number} Line draws its current from the Elm{number} Substation.",
            f"{hall} has the Fir{number} Terrace too, which the concert does not need.",
        ),
        dependencies=(f"Douglas{number} Line",),
    )
