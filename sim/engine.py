"""The vectorised engine: the world's experiments in NumPy, an exponential a fact and decision.

The facts of a decision race: each draws its own first change and the earliest counts. Hazards are
never added up beforehand: that they add is a claim, which experiments put to the test.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from sim.first_changes import FirstChanges, check_play, cuts
from theory import BadInput, Constant, Hazard, Timeline
from theory.arrays import Floats

BLOCK = 16_384
"""Decisions counted at a time: 128 kB a buffer, so that they stay in a core's cache."""


def play(
    rng: np.random.Generator, hazards: Sequence[Hazard], timeline: Timeline, decisions: int
) -> Floats:
    """The first change of each decision's facts, as `sim.engines.Engine` says."""
    check_play(hazards, timeline, decisions)
    [first] = _times(rng, hazards, timeline, decisions, block=decisions)
    first[first > timeline.action] = np.inf
    return first


def count_first_changes(
    rng: np.random.Generator,
    hazards: Sequence[Hazard],
    timeline: Timeline,
    decisions: int,
    *,
    delay: float = 0.0,
    block: int = BLOCK,
) -> FirstChanges:
    """Count where first changes fall, over any number of decisions in little memory.

    `delay` is the time from a change to its publication. `block` is how many decisions are drawn
    at a time; the law of the counts does not depend on it.
    """
    check_play(hazards, timeline, decisions)
    if block < 1:
        raise BadInput("block", block, "must be >= 1")
    verified = float(timeline.verified)
    ends = [float(end) for end in cuts(timeline, delay)]
    rates = [hazard.rate for hazard in hazards if isinstance(hazard, Constant)]
    if len(rates) == len(hazards):
        # Waits in units of the slowest fact's mean need no division, only longer limits.
        changing = sorted(rate for rate in rates if rate > 0)
        unit = changing[0] if changing else 0.0
        limits = [unit * (end - verified) for end in ends]
        unchanged = _unchanged(_waits(rng, changing, decisions, block), 0.0, limits, decisions)
    else:
        times = _times(rng, hazards, timeline, decisions, block)
        unchanged = _unchanged(times, verified, ends, decisions)
    return FirstChanges.from_unchanged(decisions, *unchanged)


def _unchanged(
    blocks: Iterable[Floats], start: float, limits: Sequence[float], decisions: int
) -> list[int]:
    """How many first changes lie beyond each limit; all of them where it is the start itself."""
    counts = dict.fromkeys((limit for limit in limits if limit > start), 0)
    if not counts:
        return [decisions] * len(limits)
    beyond = np.empty(0, dtype=np.bool_)
    for first in blocks:
        beyond = beyond if beyond.size == first.size else np.empty(first.size, dtype=np.bool_)
        for limit in counts:
            counts[limit] += int(np.count_nonzero(np.greater(first, limit, out=beyond)))
    return [counts.get(limit, decisions) for limit in limits]


def _waits(
    rng: np.random.Generator, rates: Sequence[float], decisions: int, block: int
) -> Iterator[Floats]:
    """Waits until the first change, in units of 1 / rates[0], the slowest; a block at a time.

    Each block is the same buffer, written anew.
    """
    first_buffer, other_buffer = np.empty((2, min(block, decisions)))
    for size in _sizes(decisions, block):
        first, other = first_buffer[:size], other_buffer[:size]
        rng.standard_exponential(out=first)
        for rate in rates[1:]:
            rng.standard_exponential(out=other)
            np.multiply(other, rates[0] / rate, out=other)
            np.minimum(first, other, out=first)
        yield first


def _times(
    rng: np.random.Generator,
    hazards: Sequence[Hazard],
    timeline: Timeline,
    decisions: int,
    block: int,
) -> Iterator[Floats]:
    """Times of the first change under hazards of any kind, a block at a time."""
    for size in _sizes(decisions, block):
        verified, written = np.full(size, timeline.verified), np.full(size, timeline.written)
        first = np.full(size, np.inf)
        for hazard in hazards:
            np.minimum(first, hazard.sample(rng, verified, since=written), out=first)
        yield first


def _sizes(decisions: int, block: int) -> Iterator[int]:
    for done in range(0, decisions, block):
        yield min(block, decisions - done)
