"""The SimPy world against one SimPy process for each fact and each decision."""

from __future__ import annotations

import numpy as np

from benchmarks.figure import Figure, best_seconds
from benchmarks.plain_world import PlainWorld
from theory import Constant, Timeline

DECISIONS = 20_000
HOURS = 1_000.0
MOMENTS = 4
"""Events of a decision: verified, decided, deadline and action."""
ROUNDS = 5


def measure(*, full: bool) -> list[Figure]:
    """Compare events a second where facts change as often as decisions have events."""
    del full
    return [_compare(2_000, at_least=1.8), _compare(20_000, at_least=2.5)]


def _compare(facts: int, *, at_least: float) -> Figure:
    rng = np.random.default_rng(0)
    rate = DECISIONS * MOMENTS / (facts * HOURS)
    timeline = _timeline(rng)
    resting_on = rng.integers(facts, size=(DECISIONS, 2)).tolist()
    events: dict[str, int] = {}

    def merged() -> None:
        from sim.world import Decisions, World

        decisions = Decisions(timeline, resting_on)
        history = World(np.random.default_rng(1), [Constant(rate)] * facts, decisions).run()
        events["merged"] = history.changes.height + DECISIONS * MOMENTS

    def plain() -> None:
        world = PlainWorld(np.random.default_rng(1), [rate] * facts, timeline, resting_on)
        world.run()
        events["plain"] = sum(map(len, world.changes)) + DECISIONS * MOMENTS

    seconds = best_seconds({"merged": merged, "plain": plain}, rounds=ROUNDS)
    rates = {name: events[name] / took for name, took in seconds.items()}
    return Figure(
        f"world's events a second / a process each, {facts:,} facts, {DECISIONS:,} decisions",
        rates["merged"] / rates["plain"],
        at_least,
        "at least",
        {f"{name}, k/s": rate / 1e3 for name, rate in rates.items()},
    )


def _timeline(rng: np.random.Generator) -> Timeline:
    verified = np.sort(rng.uniform(0, HOURS, DECISIONS))
    decided = verified + rng.uniform(0, 12, DECISIONS)
    deadline = decided + rng.uniform(1, 48, DECISIONS)
    action = deadline + rng.uniform(0, 12, DECISIONS)
    return Timeline(verified, verified, decided, deadline, action, action)
