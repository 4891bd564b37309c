"""Simulated judges: they draw their answers at the rates of a profile, and read nothing.

They are built around gold, since a rate belongs to what a notice truly is to a decision, and
declare so. Each decision has one draw of its own, whatever reached it: two routers, or two
profiles, are compared under common random numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from llm.judge import NO_NEWS
from routers import Entry, Notice, Verdict
from routers.verdict import Choice
from sim.profiles import PROFILES, Profile
from sim.streams.stream import Gold, Relation


class Simulated:
    """Switches with the chance that its profile gives to what was delivered."""

    simulated = True
    gold = True

    def __init__(self, profile: Profile, gold: Gold, rng: np.random.Generator) -> None:
        """`rng` gives a draw a decision: in the same state, the same draws."""
        self.name = profile.name
        self.profile = profile
        self._truths = gold.truths
        self._draws = dict(zip(gold.truths, rng.random(len(gold.truths)).tolist(), strict=True))

    def judge(self, entry: Entry, notices: Sequence[Notice]) -> Verdict:
        """Switch if the decision's draw lies below the chance of what was delivered."""
        if not notices:
            return NO_NEWS
        chance = self.profile.chance(self._relations(entry, notices))
        choice: Choice = "switch" if self._draws[entry.id] < chance else "keep"
        return Verdict(choice=choice, reason=f"simulated: switches with chance {chance:.3g}")

    def _relations(self, entry: Entry, notices: Sequence[Notice]) -> Collection[Relation]:
        delivered = {notice.id for notice in notices}
        concerns = self._truths[entry.id].notices
        return {concern.relation for concern in concerns if concern.notice in delivered}


def make_simulated(name: str, gold: Gold, rng: np.random.Generator) -> Simulated:
    """The simulated judge of this profile for a stream's gold."""
    return Simulated(PROFILES[name], gold, rng)
