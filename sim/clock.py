"""Work at known times on the simulated clock, without a process for each piece of it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias, TypeVarTuple

import numpy as np
import simpy

from theory.arrays import Floats

Process: TypeAlias = Generator[simpy.Event, None, None]
Arguments = TypeVarTuple("Arguments")


def call_after(
    env: simpy.Environment,
    wait: float,
    work: Callable[[*Arguments], None],
    *arguments: *Arguments,
) -> None:
    """Call `work(*arguments)` when `wait` has passed: one event, where a process takes three."""
    event = env.timeout(wait)
    assert event.callbacks is not None  # it has not happened yet
    event.callbacks.append(lambda _: work(*arguments))


def call_at_each(env: simpy.Environment, times: Floats, work: Callable[[int], None]) -> Process:
    """A process that calls `work(i)` at `times[i]`, earliest first, equal times by index.

    Only the next time sits in the event queue, however many are to come. Times that have passed
    count as now.
    """
    order = np.argsort(times, kind="stable")
    for index, time in zip(order.tolist(), times[order].tolist(), strict=True):
        wait = time - env.now
        if wait > 0:
            yield env.timeout(wait)
        work(index)
