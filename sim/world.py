"""The simulated world: facts that change on a SimPy clock, and decisions that rest on them.

Constant hazards are merged into one process (`sim.changes`). A decision joins at `verified` and
from then on has one event in the queue, its next moment. So the queue holds one change, the next
arrival and the decisions under way, never all facts or the decisions to come. Whoever subscribes
hears of each change when it is published.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import polars as pl
import simpy

from sim.changes import merged_changes
from sim.clock import Process, call_after, call_at_each
from sim.first_changes import check_play
from theory import BadInput, Constant, Timeline
from theory.arrays import Floats, at_least

MOMENTS = ("decided", "deadline", "action")
"""The moments at which a decision looks at its facts."""


@dataclass(frozen=True)
class Decisions:
    """Decisions that will join a world."""

    timeline: Timeline
    """Their timestamps, arrays of shape (decisions,)."""
    facts: Sequence[Sequence[int]]
    """The facts that each rests on, as indices into the world's facts."""

    def __post_init__(self) -> None:
        if np.shape(self.timeline.verified) != (len(self.facts),):
            raise BadInput("facts", len(self.facts), "must be given for each timeline")


class Change(NamedTuple):
    """A fact takes a new version, and the news of it."""

    fact: int
    """Index of the fact."""
    version: int
    """How often this fact has changed, this time included."""
    changed: float
    """When it changed."""
    published: float
    """When the news comes out."""


class History(NamedTuple):
    """What happened in a world."""

    decisions: pl.DataFrame
    """A row a decision: `verified`, `decided`, `deadline`, `action`; `first_change`, the first of
    any of its facts in `(verified, action]`, inf where none changed; `held_at_decided`,
    `held_at_deadline` and `held_at_action`, whether all were as verified when it came to that."""
    changes: pl.DataFrame
    """A row a change, in order of time: the fields of `Change`."""


class World:
    """Facts and decisions on one clock; the facts go on changing for as long as it runs."""

    def __init__(
        self,
        rng: np.random.Generator,
        hazards: Sequence[Constant],
        decisions: Decisions,
        *,
        delay: float = 0.0,
        env: simpy.Environment | None = None,
    ) -> None:
        """Set the world up; `run` runs it.

        `hazards` holds one a fact. `delay` is the time from a change to its publication. `env` is
        a clock to share with other processes; by default one starts with the first decision.
        """
        timeline = decisions.timeline
        moments = np.column_stack([getattr(timeline, name) for name in ("verified", *MOMENTS)])
        _check_facts(decisions.facts, len(hazards))
        self.delay = float(at_least("delay", delay, 0.0))
        self.env = _clock(env, moments[:, 0])

        self._subscribers: list[Callable[[Change], object]] = []
        self._versions = [0] * len(hazards)
        self._log_fact, self._log_version, self._log_changed = array("q"), array("q"), array("d")

        self._decisions = decisions
        self._waits = np.diff(moments, axis=1).tolist()
        self._standing: set[int] = set()  # joined, not carried out, and no fact has changed
        self._resting_on: dict[int, list[int]] = {}  # decisions by fact, until the fact changes
        self._first_change = np.full(len(moments), np.inf)
        self._held = tuple(bytearray(len(moments)) for _ in MOMENTS)
        self._unfinished = len(moments)
        self._finished = self.env.event()

        self.env.process(self._change_facts(rng, hazards))
        self.env.process(call_at_each(self.env, moments[:, 0], self._join))

    def subscribe(self, hear: Callable[[Change], object]) -> None:
        """Have `hear` called with each change to come, at the time it is published."""
        self._subscribers.append(hear)

    def run(self) -> History:
        """Run the clock until every decision has been carried out."""
        if self._unfinished:
            self.env.run(until=self._finished)
        return self.history()

    def history(self) -> History:
        """What has happened up to now."""
        timeline = self._decisions.timeline
        moments = {name: getattr(timeline, name) for name in ("verified", *MOMENTS)}
        held = {
            f"held_at_{name}": np.frombuffer(at, dtype=np.bool_)
            for name, at in zip(MOMENTS, self._held, strict=True)
        }
        changed = np.array(self._log_changed)
        return History(
            pl.DataFrame({**moments, "first_change": self._first_change, **held}),
            pl.DataFrame(
                {
                    "fact": np.array(self._log_fact),
                    "version": np.array(self._log_version),
                    "changed": changed,
                    "published": changed + self.delay,
                }
            ),
        )

    def _change_facts(self, rng: np.random.Generator, hazards: Sequence[Constant]) -> Process:
        for wait, fact in merged_changes(rng, hazards):
            yield self.env.timeout(wait)
            self._change(fact)

    def _change(self, fact: int) -> None:
        now = self.env.now
        version = self._versions[fact] = self._versions[fact] + 1
        self._log_fact.append(fact)
        self._log_version.append(version)
        self._log_changed.append(now)
        for index in self._resting_on.pop(fact, ()):
            if index in self._standing:
                self._standing.remove(index)
                self._first_change[index] = now
        if self._subscribers:
            news = Change(fact, version, now, now + self.delay)
            call_after(self.env, self.delay, self._publish, news)

    def _publish(self, news: Change) -> None:
        for hear in self._subscribers:
            hear(news)

    def _join(self, index: int) -> None:
        self._standing.add(index)
        for fact in self._decisions.facts[index]:
            self._resting_on.setdefault(fact, []).append(index)
        self._look_later(index, 0)

    def _look_later(self, index: int, moment: int) -> None:
        call_after(self.env, self._waits[index][moment], self._look, index, moment)

    def _look(self, index: int, moment: int) -> None:
        """Record whether a decision's facts still hold, now that it has come to a moment."""
        self._held[moment][index] = index in self._standing
        if moment + 1 < len(MOMENTS):
            self._look_later(index, moment + 1)
        else:
            self._leave(index)

    def _leave(self, index: int) -> None:
        self._standing.discard(index)
        self._unfinished -= 1
        if self._unfinished == 0:
            self._finished.succeed()


def play(
    rng: np.random.Generator, hazards: Sequence[Constant], timeline: Timeline, decisions: int
) -> Floats:
    """The first change of each decision's own facts, as `sim.engines.Engine` says.

    All decisions live side by side in one world, on facts that no two of them share.
    """
    check_play(hazards, timeline, decisions)
    each = len(hazards)
    side_by_side = Decisions(
        Timeline(*(np.full(decisions, getattr(timeline, at.name)) for at in fields(timeline))),
        [range(each * index, each * (index + 1)) for index in range(decisions)],
    )
    history = World(rng, list(hazards) * decisions, side_by_side).run()
    return history.decisions["first_change"].to_numpy(writable=True)


def _clock(env: simpy.Environment | None, verified: Floats) -> simpy.Environment:
    begins = float(verified.min(initial=np.inf))
    if env is None:
        return simpy.Environment(begins)
    if begins < env.now:
        raise BadInput("verified", begins, f"must be >= the clock's now(={env.now:g})")
    return env


def _check_facts(facts: Sequence[Sequence[int]], known: int) -> None:
    for resting_on in facts:
        if resting_on and (min(resting_on) < 0 or max(resting_on) >= known):
            raise BadInput("facts", list(resting_on), f"must be between 0 and {known - 1}")
