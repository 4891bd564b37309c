"""The places of a decision, and its entry in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias

from routers import Entry
from sim.streams import kinds
from sim.streams.dates import DateWriter
from sim.streams.decisions import (
    CONFIRMED,
    DECISIONS,
    EVIDENCE,
    IRRELEVANT,
    OTHER_NAMES,
    UNNEEDED,
)
from sim.streams.dice import Dice
from sim.streams.kinds import Dependency, Upstream
from sim.streams.names import Name, Namer
from sim.streams.template import fill

Parts: TypeAlias = Mapping[str, Name | str]


@dataclass(slots=True)
class Scene:
    """The places that a decision names, and what it is about."""

    activity: str
    option: Name
    """The chosen one."""
    alternative: Name
    dependency: Name
    """What the decision is stated to depend on."""
    dependency_kind: Dependency
    named: Name
    """The option or the dependency, whichever has another name."""
    other_name: Name
    upstream: Name
    """What the dependency depends on."""
    upstream_kind: Upstream
    facility: Name
    """What the activity does not need."""
    mentioned: Name
    """What is mentioned in an irrelevant role."""


class Times(NamedTuple):
    """A decision's times, in minutes from the epoch."""

    written: int
    verified: int
    decided: int
    deadline: int
    action: int
    end: int


class SceneWriter:
    """Invents scenes and writes entries, names never given twice."""

    def __init__(self, dice: Dice, epoch: datetime) -> None:
        self._dice = dice
        self._epoch = epoch
        self.namer = Namer(dice)
        self.dates = DateWriter(dice, epoch)

    def invent(self) -> Scene:
        """The places of one more decision."""
        dice, name = self._dice, self.namer.name
        kind = dice.pick(kinds.DEPENDENCIES)
        upstream = dice.pick(kind.upstream)
        option = name(kinds.VENUES)
        dependency = name(kind.words, article=True)
        of_option = dice.chance(0.5)
        return Scene(
            activity=dice.pick(kinds.ACTIVITIES),
            option=option,
            alternative=name(kinds.VENUES),
            dependency=dependency,
            dependency_kind=kind,
            named=option if of_option else dependency,
            other_name=(
                name(kinds.VENUE_ALIASES) if of_option else name(kind.aliases, article=True)
            ),
            upstream=name(upstream.words, article=True),
            upstream_kind=upstream,
            facility=name(kinds.FACILITIES, article=True),
            mentioned=name(kinds.VENUES),
        )

    def namesake(self, scene: Scene) -> Name:
        """Something else whose name is nearly that of the option or the dependency."""
        if self._dice.chance(0.5):
            return self.namer.namesake(scene.option, kinds.VENUES)
        return self.namer.namesake(scene.dependency, scene.dependency_kind.words)

    def entry(self, scene: Scene, times: Times, entry_id: str) -> Entry:
        """The decision in words, with its dossier."""
        places: Parts = {
            "a": scene.activity,
            "o": scene.option,
            "p": scene.alternative,
            "d": scene.dependency,
        }
        need = self._write(scene.dependency_kind.sentences, places)
        when = self.dates.appointment(times.action, times.end)
        return Entry(
            id=entry_id,
            written=times.written / 60,
            verified=times.verified / 60,
            decided=times.decided / 60,
            deadline=times.deadline / 60,
            action=times.action / 60,
            activity_end=times.end / 60,
            outcome=times.end / 60,
            activity=scene.activity,
            options=(scene.option.text, scene.alternative.text),
            text=self._text(places, when, need),
            evidence=tuple(
                self._write(wordings, {**places, "m": self.dates.moment(times.verified)})
                for wordings in EVIDENCE.values()
            ),
            background=tuple(self._dice.shuffled(self._dossier(scene))),
            dependencies=(scene.dependency.text,),
            epoch=self._epoch,
        )

    def _text(self, places: Parts, when: str, need: str) -> str:
        decision = self._write(DECISIONS, {**places, "w": when, "n": need})
        return f"{decision} {self._write(CONFIRMED, places)}"

    def _dossier(self, scene: Scene) -> list[str]:
        write, activity = self._write, scene.activity
        return [
            write(OTHER_NAMES, {"x": scene.named, "y": scene.other_name}),
            write(scene.upstream_kind.sentences, {"d": scene.dependency, "u": scene.upstream}),
            write(UNNEEDED, {"x": scene.option, "y": scene.facility, "a": activity}),
            write(IRRELEVANT, {"y": scene.mentioned}),
        ]

    def _write(self, templates: Sequence[str], parts: Parts) -> str:
        return fill(self._dice.pick(templates), parts)
