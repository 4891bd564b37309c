"""NATURAL: labels fall out of a world whose facts change at their hazards.

A decision rests on its option, the stated dependency and what lies upstream, each a fact that
changes at a constant hazard of its own. It should change if any of them changes in
`(verified, action]`, published or not. Every change is news, that what was arranged before it no
longer holds; facilities nobody needs change too, and traps are mentions of another site's facts.

A site is a venue with what it depends on. It serves one decision after another, `share` of them at
once: with `share` 1 no two decisions rest on the same fact at the same time, and since hazards are
constant their changes are independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sim.streams.clock import Schedule, activities, arrivals, quarters
from sim.streams.controlled import EPOCH, OPEN, numbered
from sim.streams.dice import Dice
from sim.streams.news import News, publish
from sim.streams.parameters import Advance, ignore, whole
from sim.streams.scene import SceneWriter, Times
from sim.streams.sites import NEEDED, Sites, allot_sites, mention_others, scene_at
from sim.streams.stream import Gold, Labelled, Log, Stream
from theory import BadInput, Constant, Timeline
from theory.arrays import Floats

WINDOW_FACTOR = 4.0
"""Windows lie between 1/4 and 4 times one length, evenly on a logarithmic scale."""
RATE_FACTOR = 3.0
"""Hazards lie between 1/3 and 3 times one rate, likewise."""
LARGEST_HAZARD = 1.0
"""Per hour: each fact's changes are published, and more would be noise."""
LONGEST_FRESHNESS = 144.0
"""Hours: evidence cannot be older than the stream's clock."""


def natural(
    rng: np.random.Generator,
    *,
    decisions: int = 1000,
    hazard: float = 0.003,
    facts: int = 3,
    share: int = 1,
    delay: float = 0.0,
    freshness: float = 12.0,
    traps: int | None = None,
    exclude_stale: bool = False,
    open_decisions: int = OPEN,
    window: float = 48.0,
    advance: Advance = ignore,
) -> Labelled:
    """The stream NATURAL: 1000 decisions, half of them with a trap, unless asked otherwise.

    Each rests on `facts` facts, whose hazards have the mean `hazard`, per hour. Its evidence was
    verified up to twice `freshness` hours before it was made. News comes out `delay` hours after
    its change. `exclude_stale` leaves out decisions with a change before they were made, as the
    paper does.
    """
    _check(hazard, facts, share, freshness)
    clock, hazards, changes, words = rng.spawn(4)
    times = _schedule(clock, decisions, open_decisions, window, freshness)
    dice = Dice(words)
    site_of = allot_sites(dice, times, share)

    writer = SceneWriter(dice, EPOCH)
    sites = Sites([writer.invent() for _ in range(max(site_of) + 1)], facts)
    rates = (hazard * _scattered(hazards, len(sites.scenes) * (facts + 1), RATE_FACTOR)).tolist()
    first_change, held, happened = _run(
        changes, times, rates, [sites.facts(s) for s in site_of], delay
    )
    items, notices = publish(dice, writer, sites, happened)
    news = News(len(rates), items)

    scenes = [scene_at(dice, writer, sites.scenes[site]) for site in site_of]
    trapped = mention_others(dice, scenes, sites, site_of, traps)
    kept = [i for i in range(decisions) if held[i] or not exclude_stale]
    if not kept:
        raise BadInput("exclude_stale", True, f"leaves none of {decisions} decisions")
    rows = list(zip(*(array.tolist() for array in times), strict=True))
    entries, truths = [], {}
    for i, entry_id in zip(kept, numbered("d", len(kept)), strict=True):
        entry = writer.entry(scenes[i], Times(*rows[i]), entry_id)
        entries.append(entry)
        truths[entry_id] = news.truth(
            entry,
            first_change=first_change[i],
            delay=delay,
            facts=sites.facts(site_of[i]),
            facility=sites.facility(site_of[i]),
            mentioned=(trapped[i], scenes[i].mentioned) if i in trapped else None,
        )
        advance(1)
    log = Log(tuple(rates), tuple(item.change for item in items))
    return Labelled(Stream("natural", EPOCH, tuple(entries), tuple(notices)), Gold(truths, log))


def _check(hazard: float, facts: int, share: int, freshness: float) -> None:
    if not 0 <= hazard <= LARGEST_HAZARD:
        raise BadInput("hazard", hazard, f"must be between 0 and {LARGEST_HAZARD:g} per hour")
    if whole("facts", facts, 1) > len(NEEDED):
        raise BadInput("facts", facts, f"must be <= {len(NEEDED)}: {', '.join(NEEDED)}")
    whole("share", share, 1)
    if not 0 <= freshness <= LONGEST_FRESHNESS:
        rule = f"must be between 0 and {LONGEST_FRESHNESS:g} hours"
        raise BadInput("freshness", freshness, rule)


def _schedule(
    rng: np.random.Generator,
    decisions: int,
    open_decisions: int,
    window: float,
    freshness: float,
) -> Schedule:
    """As the controlled streams', but with windows of every length and any freshness gap."""
    decided = arrivals(rng, decisions, open_decisions=open_decisions, window=window)
    length = window * 60 * _scattered(rng, decisions, WINDOW_FACTOR)
    deadline = decided + np.maximum(quarters(length), 60)
    verified = decided - quarters(rng.uniform(0, 2 * freshness * 60, decisions))
    written = verified - quarters(rng.uniform(0, 24 * 60, decisions))
    return Schedule(written, verified, decided, deadline, *activities(rng, deadline))


def _scattered(rng: np.random.Generator, count: int, factor: float) -> Floats:
    """Factors of mean 1, from 1/factor to factor times one value, evenly on a logarithmic scale."""
    spread = math.log(factor)
    return np.exp(rng.uniform(-spread, spread, count)) * spread / math.sinh(spread)


def _run(
    rng: np.random.Generator,
    times: Schedule,
    rates: Sequence[float],
    facts: Sequence[range],
    delay: float,
) -> tuple[list[float], list[bool], list[tuple[int, int, float, float]]]:
    """Let the world run until every decision has been carried out.

    Gives the first change of each decision's facts in `(verified, action]` (inf for none), whether
    all held when it was made, and every change: fact, version, changed, published.
    """
    from sim.world import Decisions, World

    decisions = Decisions(Timeline(*(array / 60 for array in times)), facts)
    hazards = [Constant(rate) for rate in rates]
    history = World(rng, hazards, decisions, delay=delay).run()
    return (
        history.decisions["first_change"].to_list(),
        history.decisions["held_at_decided"].to_list(),
        list(history.changes.iter_rows()),
    )
