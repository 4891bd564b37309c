"""Sites of a natural stream: venues with what they depend on, and which decision rests on which.

A site's facts have numbers that follow each other: those that decisions rest on, then one of a
facility that nobody needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Literal, TypeAlias

import numpy as np

from sim.streams import kinds
from sim.streams.clock import Schedule
from sim.streams.controlled import Kind
from sim.streams.dice import Dice
from sim.streams.names import Name
from sim.streams.parameters import whole
from sim.streams.scene import Scene, SceneWriter
from theory import BadInput

About: TypeAlias = Literal["option", "dependency", "upstream"]
NEEDED: tuple[About, ...] = ("option", "dependency", "upstream")
"""What a decision can rest on, the first so many of them."""


@dataclass(frozen=True)
class Sites:
    """All sites, and what each of their facts is about."""

    scenes: Sequence[Scene]
    needed: int
    """How many of `NEEDED` have facts."""

    def facts(self, site: int) -> range:
        """The numbers of the facts that a decision at this site rests on."""
        first = site * (self.needed + 1)
        return range(first, first + self.needed)

    def facility(self, site: int) -> int:
        """The number of its facility's fact."""
        return self.facts(site).stop

    def called(self, dice: Dice, fact: int) -> tuple[Name, Kind | None]:
        """A name for what a fact is about, and how that refers to it; None for a facility.

        What has another name goes by that half of the time.
        """
        site, number = divmod(fact, self.needed + 1)
        scene = self.scenes[site]
        if number == self.needed:
            return scene.facility, None
        place = place_of(scene, NEEDED[number])
        if place is scene.named and dice.chance(0.5):
            return scene.other_name, "other-name"
        return place, NEEDED[number]


def place_of(scene: Scene, about: About) -> Name:
    """The name of what a decision rests on."""
    return {
        "option": scene.option,
        "dependency": scene.dependency,
        "upstream": scene.upstream,
    }[about]


def allot_sites(dice: Dice, times: Schedule, share: int) -> list[int]:
    """The site of each decision: one with room from `verified` to the action, else a new one.

    A site has room for `share` decisions at once.
    """
    site_of = [0] * len(times.decided)
    busy: list[tuple[int, int]] = []  # heap of (action, site)
    room: list[int] = []  # sites, each as often as it has room
    sites = 0
    verified, action = times.verified.tolist(), times.action.tolist()
    for index in np.argsort(times.verified, kind="stable").tolist():
        while busy and busy[0][0] <= verified[index]:
            room.append(heappop(busy)[1])
        if not room:
            room = [sites] * share
            sites += 1
        at = dice.below(len(room))
        room[at], room[-1] = room[-1], room[at]
        site_of[index] = room.pop()
        heappush(busy, (action[index], site_of[index]))
    return site_of


def scene_at(dice: Dice, writer: SceneWriter, site: Scene) -> Scene:
    """One more activity at a site."""
    name = writer.namer.name
    return replace(
        site,
        activity=dice.pick(kinds.ACTIVITIES),
        alternative=name(kinds.VENUES),
        mentioned=name(kinds.VENUES),
    )


def mention_others(
    dice: Dice, scenes: Sequence[Scene], sites: Sites, site_of: Sequence[int], traps: int | None
) -> dict[int, int]:
    """Have so many decisions mention a place of another site; returns its fact, by decision.

    By default half of the decisions do.
    """
    most = len(scenes) if len(sites.scenes) > 1 else 0
    count = min(len(scenes) // 2, most) if traps is None else whole("traps", traps, 0)
    if count > most:
        rule = f"must be <= {most}: one each, of another decision's site"
        raise BadInput("traps", count, rule)
    trapped: dict[int, int] = {}
    for owner in dice.shuffled(range(len(scenes)))[:count]:
        other = dice.below(len(sites.scenes) - 1)
        other += other >= site_of[owner]
        number = dice.below(sites.needed)
        scenes[owner].mentioned = place_of(sites.scenes[other], NEEDED[number])
        trapped[owner] = sites.facts(other)[number]
    return trapped
