"""Profiles of simulated judges: at which rates they switch, and where the rates come from.

A profile gives a rate for each relation that a notice can have to a decision. None of them is a
model: each is what a judge with the paper's figures (arXiv 2610.18126) would do, made up where the
paper gives no figure, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sim.streams.stream import Relation
from theory.arrays import probability


@dataclass(frozen=True)
class Profile:
    """A simulated judge's rates."""

    name: str
    S: float
    """Chance to switch where decisive news was delivered."""
    source: str
    """Where the rates come from."""
    misread: Mapping[Relation, float] = field(default_factory=dict)
    """Chance that a delivered notice of a relation is taken for decisive; 0 where none is given."""

    def __post_init__(self) -> None:
        probability("S", self.S)
        for relation, rate in self.misread.items():
            probability(f"misread[{relation}]", rate)

    def chance(self, delivered: Collection[Relation]) -> float:
        """Chance to switch, given the relations of what was delivered.

        S where decisive news is among it, else 1 - prod (1 - m_r) over the relations r: 0 of none.
        """
        if "decisive" in delivered:
            return self.S
        misread = (self.misread.get(relation, 0.0) for relation in set(delivered))
        return 1.0 - math.prod(1.0 - rate for rate in misread)


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("perfect", S=1.0, source="No errors: what routing alone can reach."),
        Profile(
            "strong",
            S=0.953,
            misread={
                "ended-before": 0.065,
                "other-day": 0.065,
                "irrelevant-role": 0.065,
            },
            source=(
                "Claude Sonnet 4.6: S is the middle of 90.6-100 %, the switch rates reported over "
                "all models and routers. It kept all DIRECT decisions whose change came late, so "
                "starts-after is 0; 87.5 % of standing INDIRECT decisions kept is 0.935 squared, "
                "two misleading notices at 0.065 each. The other rates are taken to be 0."
            ),
        ),
        Profile(
            "hasty",
            S=1.0,
            misread={"starts-after": 0.357, "ended-before": 0.023, "other-day": 0.023},
            source=(
                "Qwen3-8B on DIRECT under oracle routing: every needed switch made, 62.0 % of "
                "standing decisions kept, and 94 % of those dropped were dropped for changes that "
                "start too late: 0.38 x 0.94 for starts-after, 0.38 x 0.06 for other times. Reads "
                "as if every standing decision had such news; the other rates are taken to be 0."
            ),
        ),
        Profile(
            "weak",
            S=0.489,
            misread={
                "ended-before": 0.3,
                "starts-after": 0.3,
                "other-day": 0.3,
                "irrelevant-role": 0.3,
                "unneeded-facility": 0.1,
            },
            source=(
                "Mistral 7B switched on 48.9 % given only decisive notices. The weaker models kept "
                "under 50 % of standing INDIRECT decisions under BM25 and dense routing: 0.7 "
                "squared, two misleading notices at 0.3 each. The rate of 0.1 for unneeded "
                "facilities has no figure behind it."
            ),
        ),
    )
}
"""By name; whoever wants another adds one."""
