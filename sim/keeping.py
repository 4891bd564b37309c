"""What a sweep knows of its cells while it goes: which are done, which failed, what waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import polars as pl

from sim.outcomes import (
    ERROR,
    KEY,
    SECONDS,
    Outcome,
    Shape,
    joined,
    order_of,
    outcome_frames,
    shape_of,
)
from sim.playing import Run
from theory.errors import BadInput

MOST_WAITING = 10_000
"""Outcomes that wait to be kept."""
SHORTEST_WAIT, LONGEST_WAIT, WAIT_SHARE = 1.0, 10.0, 0.01
"""Seconds, and share of the time since the start, after which what waits is kept: about as much
work is lost when a sweep is killed, and a long one does not end with a million parts."""


class Store(Protocol):
    """Where outcomes are kept."""

    def add(self, outcomes: Mapping[bytes, Outcome]) -> None:
        """Keep some more, by key."""
        ...

    def load(self) -> list[pl.DataFrame]:
        """All that are kept, as `sim.outcomes.outcome_frames`, the oldest first."""
        ...


class InMemory:
    """Outcomes kept for as long as their sweep runs."""

    def __init__(self) -> None:
        self._frames: list[pl.DataFrame] = []

    def add(self, outcomes: Mapping[bytes, Outcome]) -> None:
        """Keep some more."""
        self._frames += outcome_frames(outcomes)

    def load(self) -> list[pl.DataFrame]:
        """All that are kept."""
        return self._frames


class Tally(NamedTuple):
    """How far a sweep is, in cells."""

    total: int
    kept: int
    """Done by an earlier sweep that this one resumes."""
    done: int
    """Those included."""
    failed: int
    """Of those done."""


class Whole(NamedTuple):
    """Every outcome of a sweep, in the order of its runs."""

    frame: pl.DataFrame
    """A column a result, and `error`."""
    seconds: list[float | None]
    shapes: list[Shape]
    """Every shape that is not empty, sorted."""


class Keeper:
    """Takes outcomes in, keeps them, and puts them together at the end."""

    def __init__(
        self,
        runs: Sequence[Run],
        store: Store,
        follow: Callable[[Tally], object],
        *,
        retry_failed: bool,
    ) -> None:
        """Go on from what the store holds; refuses a store with cells that are not among `runs`."""
        self._runs = runs
        self._store = store
        self._follow = follow
        self._waiting: dict[bytes, Outcome] = {}
        self._started = self._last = time.monotonic()
        known = _known(store)
        _check_known(known, runs)
        if retry_failed:
            known = {key: failed for key, failed in known.items() if not failed}
        self.missing = [run for run in runs if run.key not in known]
        """What is to be played."""
        self.tally = Tally(len(runs), len(known), len(known), sum(known.values()))
        follow(self.tally)

    def collect(self, outcomes: Mapping[bytes, Outcome]) -> None:
        """Take in some outcomes, and keep what waits if it is time."""
        self._waiting |= outcomes
        if outcomes:
            failed = sum(outcome.error is not None for outcome in outcomes.values())
            self.tally = self.tally._replace(
                done=self.tally.done + len(outcomes), failed=self.tally.failed + failed
            )
            self._follow(self.tally)
        now = time.monotonic()
        patience = min(max(SHORTEST_WAIT, WAIT_SHARE * (now - self._started)), LONGEST_WAIT)
        if now - self._last >= patience or len(self._waiting) >= MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        """Keep all that waits."""
        if self._waiting:
            self._store.add(self._waiting)
            self._waiting = {}
        self._last = time.monotonic()

    def whole(self) -> Whole:
        """Everything, once nothing is missing."""
        frames = [frame for frame in self._store.load() if not frame.is_empty()]
        shapes = sorted({shape for frame in frames if (shape := shape_of(frame))})
        keys = pl.DataFrame({KEY: pl.Series([run.key for run in self._runs], dtype=pl.Binary)})
        rows = keys.join(joined(frames), on=KEY, how="left", maintain_order="left")
        return Whole(rows.select(*order_of(shapes), ERROR), rows[SECONDS].to_list(), shapes)


def _known(store: Store) -> dict[bytes, bool]:
    """The keys of all kept cells, and whether they failed."""
    frames = [frame.select(KEY, failed=pl.col(ERROR).is_not_null()) for frame in store.load()]
    return {key: failed for frame in frames for key, failed in frame.iter_rows()}


def _check_known(known: Mapping[bytes, bool], runs: Sequence[Run]) -> None:
    foreign = len(known.keys() - {run.key for run in runs})
    if foreign:
        raise BadInput(
            "output",
            f"{foreign:,} finished cells",
            "are not in this grid: discard them by --fresh (resume=False), or write elsewhere",
        )
