"""Episodes as cells of an experiment: streams of their own, routed and judged.

Once it is known what reached a decision, so is the chance that a simulated judge switches it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from routers import make_router
from sim.cells import Parameters
from sim.episode import episode
from sim.experiments.judged import Flags
from sim.oracles import ORACLES, make_oracle
from sim.profiles import PROFILES, Profile
from sim.scoring import score
from sim.simulated import Simulated
from sim.streams import STREAMS, Gold, Labelled
from theory.arrays import Floats

OPEN = 24
"""Decisions open at once: enough for their news to be mixed up, few enough to broadcast to all."""


class Played(NamedTuple):
    """An episode's decisions, arrays of one shape (decisions,)."""

    decisions: pl.DataFrame
    """`sim.scoring.Scored.decisions`."""
    changing: Flags
    reached: Flags
    """Decisive news was delivered."""
    switched: Flags
    chance: Floats
    """The chance to be switched, given the relations of what was delivered."""
    unexposed: Floats
    """The same, had nothing but decisive news mattered."""

    @property
    def right(self) -> Flags:
        """Changing and switched, or standing and kept."""
        right: Flags = self.changing == self.switched
        return right

    def right_chance(self, chance: Floats) -> Floats:
        """The chance to be right, where those to be switched are `chance`."""
        return np.where(self.changing, chance, 1.0 - chance)


def make(rng: np.random.Generator, stream: str, decisions: int) -> Labelled:
    """A stream of this kind with so many decisions."""
    return STREAMS[stream](rng, decisions=decisions, open_decisions=OPEN)


def play_through(made: Labelled, router: str, judge: str, draws: int) -> Played:
    """Run a stream through a router and a simulated judge, whose answers follow from `draws`."""
    stream, gold = made
    profile = PROFILES[judge]
    route = make_oracle(router, gold) if router in ORACLES else make_router(router)
    drawn = Simulated(profile, gold, np.random.Generator(np.random.SFC64(draws)))
    decisions, deliveries, _ = score(episode(stream, route, drawn), gold)
    decisive = (decisions["decisive"] > 0).to_numpy()
    return Played(
        decisions,
        changing=(decisions["label"] == 1).to_numpy(),
        reached=decisive,
        switched=(decisions["choice"] == "switch").to_numpy(),
        chance=_chances(gold, deliveries, profile),
        unexposed=np.where(decisive, profile.S, 0.0),
    )


def no_formula(cell: Parameters, stretch: float) -> Mapping[str, float]:
    """Nothing is predicted of a cell as a whole: each decision has a chance of its own."""
    del cell, stretch
    return {}


def _chances(gold: Gold, deliveries: pl.DataFrame, profile: Profile) -> Floats:
    """The chance of each decision, in the stream's order, to be switched."""
    delivered = deliveries.drop_nulls("relation").group_by("decision").agg("relation")
    relations = dict(delivered.iter_rows())
    return np.array([profile.chance(relations.get(decision, ())) for decision in gold.truths])
