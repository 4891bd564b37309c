"""When things happen in a controlled stream: the decisions' times and the publication of news.

Decisions come in at an even pace, so that about `open_decisions` of them are open at any moment.
News is published when the simulated world changes: its facts together change as one Poisson process
(hazards add), and each decision is dealt as many of the changes in its revision window as it is to
have notices, at random. Given their number, those are spread as a constant hazard spreads them;
changes that are left over concern nobody here.

Times are whole minutes from the epoch: quarter hours for decisions, steps of three minutes for
publication, so that hours are short decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.streams.dates import DAY
from sim.streams.dice import Dice
from sim.streams.parameters import whole
from theory import BadInput, Constant, Timeline

Minutes = NDArray[np.int64]

QUARTER = 15
TICK = 3
"""Minutes between possible times of publication."""
FIRST = 14 * DAY
"""When the first decision may come in: evidence may be some days older."""
WINDOW_SPREAD = 0.4
"""Windows lie between 1 - this and 1 + this times their mean."""
LEAD = 4 * DAY
"""Least time from the deadline to the action: news can speak of days between the two."""
SHORTEST_WINDOW = 2.0
"""Hours."""
LONGEST_WINDOW = 10_000.0
LONGEST_STREAM = 7_000 * 365 * DAY
"""Minutes: years have four figures."""
_SLACK = 1.5
"""Changes of the world for each notice that is dealt out, at least."""
_TRIES = 64
"""Places picked at random before all of them are looked at."""
_LEAST_CHOICE = 24
"""Changes of the world expected in the shortest window for each notice, at least."""


class Schedule(NamedTuple):
    """The decisions' times in minutes, arrays of shape (decisions,), in order of `decided`."""

    written: Minutes
    verified: Minutes
    decided: Minutes
    deadline: Minutes
    action: Minutes
    end: Minutes
    """When the activity is over and the outcome is seen."""


def schedule(
    rng: np.random.Generator, decisions: int, *, open_decisions: int, window: float
) -> Schedule:
    """Times for so many decisions, of which about `open_decisions` are open at once.

    `window` is the mean revision window in hours. Activities take two to five hours of one day.
    """
    decided = arrivals(rng, decisions, open_decisions=open_decisions, window=window)
    mean = window * 60
    length = rng.uniform(1 - WINDOW_SPREAD, 1 + WINDOW_SPREAD, decisions) * mean
    deadline = decided + np.maximum(quarters(length), 4 * QUARTER)
    verified = decided - quarters(rng.uniform(0, 12 * 60, decisions))
    written = verified - quarters(rng.uniform(0, 72 * 60, decisions))
    action, end = activities(rng, deadline + LEAD + DAY * rng.integers(0, 3, decisions))
    return Schedule(written, verified, decided, deadline, action, end)


def arrivals(
    rng: np.random.Generator, decisions: int, *, open_decisions: int, window: float
) -> Minutes:
    """When so many decisions are made, in order; about `open_decisions` are then open at once."""
    whole("decisions", decisions, 1)
    whole("open_decisions", open_decisions, 1)
    if not SHORTEST_WINDOW <= window <= LONGEST_WINDOW:
        rule = f"must be between {SHORTEST_WINDOW:g} and {LONGEST_WINDOW:,g} hours"
        raise BadInput("window", window, f"{rule}, or no notice could fall in one")
    pace = window * 60 / open_decisions
    if decisions * pace > LONGEST_STREAM:
        rule = f"must be more, or {decisions:,} decisions of {window:g} hours run past the calendar"
        raise BadInput("open_decisions", open_decisions, rule)
    return FIRST + quarters((np.arange(decisions) + rng.random(decisions)) * pace)


def activities(rng: np.random.Generator, not_before: Minutes) -> tuple[Minutes, Minutes]:
    """Starts and ends of activities, two to five hours between 9:00 and 22:00 of the next day."""
    count = len(not_before)
    duration = 30 * rng.integers(4, 11, count)
    start = np.minimum(30 * rng.integers(18, 37, count), 22 * 60 - duration)
    action = -(-not_before // DAY) * DAY + start
    return action, action + duration


def deal_news(rng: np.random.Generator, times: Schedule, demand: Sequence[int]) -> list[list[int]]:
    """For each decision, when its `demand` notices are published, in minutes, in a random order."""
    world = _changes_of_the_world(rng, times, sum(demand))
    dice = Dice(rng)
    free = bytearray(b"\1" * len(world))
    firsts = np.searchsorted(world, times.decided, side="right").tolist()
    ends = np.searchsorted(world, times.deadline, side="right").tolist()
    dealt: list[list[int]] = [[] for _ in demand]
    for index in rng.permutation(len(demand)).tolist():
        for _ in range(demand[index]):
            place = _free_place(dice, free, firsts[index], ends[index])
            if place is None:
                hours = int(times.deadline[index] - times.decided[index]) / 60
                rule = f"must leave {demand[index]} notices to every window; one of {hours:g} h has"
                raise BadInput("window", hours, f"{rule} {len(dealt[index])}")
            free[place] = 0
            dealt[index].append(int(world[place]))
    return dealt


def _changes_of_the_world(rng: np.random.Generator, times: Schedule, notices: int) -> Minutes:
    """When facts change, from the first decision to the last deadline, on the simulated clock."""
    from sim.world import Decisions, World

    begins, ends = int(times.decided.min()), int(times.deadline.max())
    shortest = int((times.deadline - times.decided).min())
    each = notices / len(times.decided)
    arriving = max(int(times.decided.max()) - begins, shortest)
    rate = max(_SLACK * notices / arriving, _LEAST_CHOICE * each / shortest)
    span = Timeline(*(np.array([float(at)]) for at in (begins, begins, begins, ends, ends, ends)))
    history = World(rng, [Constant(rate)], Decisions(span, [()])).run()
    changed = history.changes["changed"].to_numpy()
    return np.ceil(changed / TICK).astype(np.int64) * TICK


def _free_place(dice: Dice, free: bytearray, first: int, end: int) -> int | None:
    """A free place in `[first, end)` at random; None where there is none."""
    for _ in range(_TRIES if end > first else 0):
        place = first + dice.below(end - first)
        if free[place]:
            return place
    left = [place for place in range(first, end) if free[place]]
    return dice.pick(left) if left else None


def quarters(minutes: NDArray[np.float64]) -> Minutes:
    """Whole quarter hours, rounded down, in minutes."""
    return np.floor(minutes / QUARTER).astype(np.int64) * QUARTER
