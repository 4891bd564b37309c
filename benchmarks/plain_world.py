"""The world written the plain way: a SimPy process for each fact and each decision.

A witness for `sim.world`, which merges the facts and spawns a decision when it joins: it shares no
code with it, and the two must agree.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
import simpy

from theory import Timeline


class PlainWorld:
    """Facts with constant rates, and decisions that rest on them, all there from the start."""

    def __init__(
        self,
        rng: np.random.Generator,
        rates: Sequence[float],
        timeline: Timeline,
        facts: Sequence[Sequence[int]],
    ) -> None:
        self.rng = rng
        self.times = np.column_stack(
            [timeline.verified, timeline.decided, timeline.deadline, timeline.action]
        ).tolist()
        self.facts = facts
        self.env = simpy.Environment(min(times[0] for times in self.times))
        self.changes: list[list[float]] = [[] for _ in rates]
        self.first_change = np.full(len(facts), np.inf)
        self.held = np.zeros((len(facts), 3), dtype=np.bool_)
        for fact, rate in enumerate(rates):
            if rate > 0:
                self.env.process(self._fact(fact, 1 / rate))
        for index in range(len(facts)):
            self.env.process(self._decision(index))

    def run(self) -> None:
        """Run until every decision has been carried out, and a moment more for rounding."""
        self.env.run(until=max(times[-1] for times in self.times) + 1e-6)

    def _fact(self, fact: int, mean: float) -> Generator[simpy.Event, None, None]:
        while True:
            yield self.env.timeout(self.rng.exponential(mean))
            self.changes[fact].append(self.env.now)

    def _decision(self, index: int) -> Generator[simpy.Event, None, None]:
        verified, *moments = self.times[index]
        yield self.env.timeout(verified - self.env.now)
        seen = {fact: len(self.changes[fact]) for fact in self.facts[index]}
        for moment, time in enumerate(moments):
            yield self.env.timeout(max(time - self.env.now, 0.0))
            self.held[index, moment] = all(
                len(self.changes[fact]) == count for fact, count in seen.items()
            )
        since = [
            self.changes[fact][count]
            for fact, count in seen.items()
            if len(self.changes[fact]) > count
        ]
        self.first_change[index] = min(since, default=np.inf)
