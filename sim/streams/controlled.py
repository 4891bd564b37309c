"""Streams whose labels are set beforehand and come true in the texts: how they are made.

A stream's own file says which notices each decision gets (`Row`); here they get times, places,
intervals and words. A decision changes exactly if one of its notices is decisive: it names
something the decision needs, blocks it, and states an interval that overlaps the activity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple, Self, TypeAlias, get_args

import numpy as np

from routers import Notice
from sim.streams.clock import deal_news, schedule
from sim.streams.dice import Dice
from sim.streams.names import Name
from sim.streams.notices import BLOCKING, HARMLESS, write_notice
from sim.streams.parameters import Advance
from sim.streams.scene import Scene, SceneWriter, Times
from sim.streams.stated import Activity, Elsewhen, Stated, state_during, state_elsewhen
from sim.streams.stream import Concern, Gold, Labelled, Relation, Stream, Truth
from sim.streams.traps import News, Window, set_traps

EPOCH = datetime(2035, 1, 1, tzinfo=UTC)
"""Where the hours of generated streams count from, a Monday."""
OPEN, WINDOW = 48, 84.0
"""Decisions open at once and mean hours of a revision window, unless asked otherwise."""

Kind: TypeAlias = Literal["option", "dependency", "other-name", "upstream"]
"""How a notice refers to what a decision needs."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Aside: TypeAlias = Literal["namesake", "unneeded-facility", "alternative"]
"""What else a notice may be about; it is then blocked during the activity."""
Aim: TypeAlias = Literal["decisive", "elsewhen", "does-not-block"]
"""What a notice about something needed says: that it is blocked during the activity, or at another
time, or goes on during the activity."""


@dataclass(frozen=True)
class Ask:
    """A notice that a decision is to get in its revision window."""

    about: Kind | Aside
    aim: Aim | Aside
    """Of a notice about something else the same again."""

    @classmethod
    def aside(cls, about: Aside) -> Self:
        """A notice about something that the decision does not need."""
        return cls(about, about)


class Row(NamedTuple):
    """What a decision is to be; it changes if one of its notices is asked to be decisive."""

    kind: Kind
    asks: tuple[Ask, ...]
    trapped: bool = False
    """Whether its dossier mentions what another decision's news is about."""

    @property
    def changes(self) -> bool:
        """Whether it should change."""
        return any(ask.aim == "decisive" for ask in self.asks)


@dataclass(frozen=True, slots=True)
class _Item:
    """A notice before it has words."""

    owner: int
    """The decision that it is made for."""
    published: int
    about: Kind | Aside
    place: Name
    relation: Relation
    stated: Stated


def make_controlled(
    rng: np.random.Generator,
    name: str,
    rows: Sequence[Row],
    *,
    open_decisions: int,
    window: float,
    elsewhen: Sequence[Elsewhen],
    advance: Advance,
) -> Labelled:
    """A stream of these rows, in a random order; `elsewhen` says where other times lie."""
    order, clock, words = rng.spawn(3)
    rows = [rows[i] for i in order.permutation(len(rows)).tolist()]
    arrays = schedule(clock, len(rows), open_decisions=open_decisions, window=window)
    published = deal_news(clock, arrays, [len(row.asks) for row in rows])
    times = [Times(*each) for each in zip(*(array.tolist() for array in arrays), strict=True)]

    dice = Dice(words)
    writer = SceneWriter(dice, EPOCH)
    scenes = [writer.invent() for _ in rows]
    items = [
        _item(dice, writer, scenes[owner], times[owner], owner, ask, at, elsewhen)
        for owner, row in enumerate(rows)
        for ask, at in zip(row.asks, published[owner], strict=True)
    ]
    items = sorted(dice.shuffled(items), key=lambda item: item.published)
    traps = _traps(dice, rows, times, items)
    for owner, trap in traps.items():
        scenes[owner].mentioned = items[trap].place

    notices = [
        _notice(dice, writer, item, notice_id)
        for item, notice_id in zip(items, numbered("n", len(items)), strict=True)
    ]
    decisions = []
    for each in zip(scenes, times, numbered("d", len(rows)), strict=True):
        decisions.append(writer.entry(*each))
        advance(1)
    concerns = _concerns(len(rows), items, traps)
    truths = [
        Truth(
            decision=entry.id,
            label=1 if row.changes else 0,
            kind=row.kind,
            notices=tuple(Concern(notices[i].id, relation) for i, relation in sorted(touching)),
        )
        for entry, row, touching in zip(decisions, rows, concerns, strict=True)
    ]
    return Labelled(
        Stream(name, EPOCH, tuple(decisions), tuple(notices)),
        Gold({truth.decision: truth for truth in truths}),
    )


def _item(
    dice: Dice,
    writer: SceneWriter,
    scene: Scene,
    times: Times,
    owner: int,
    ask: Ask,
    published: int,
    elsewhen: Sequence[Elsewhen],
) -> _Item:
    activity = Activity(times.action, times.end)
    relation: Relation
    if ask.aim == "elsewhen":
        stated, relation = state_elsewhen(dice, activity, elsewhen)
    else:
        stated, relation = state_during(dice, activity), ask.aim
    return _Item(owner, published, ask.about, _place(writer, scene, ask.about), relation, stated)


def _notice(dice: Dice, writer: SceneWriter, item: _Item, notice_id: str) -> Notice:
    effects = HARMLESS if item.relation == "does-not-block" else BLOCKING
    when = writer.dates.interval(*item.stated)
    text = write_notice(dice, item.place, effects, when)
    return Notice(id=notice_id, published=item.published / 60, text=text, epoch=EPOCH)


def _place(writer: SceneWriter, scene: Scene, about: Kind | Aside) -> Name:
    if about == "namesake":
        return writer.namesake(scene)
    return {
        "option": scene.option,
        "dependency": scene.dependency,
        "other-name": scene.other_name,
        "upstream": scene.upstream,
        "unneeded-facility": scene.facility,
        "alternative": scene.alternative,
    }[about]


def _traps(
    dice: Dice, rows: Sequence[Row], times: Sequence[Times], items: Sequence[_Item]
) -> dict[int, int]:
    """The index of the notice that is each trapped decision's trap."""
    news = [
        News(
            item.owner,
            item.published,
            item.place.text,
            lures=item.about in KINDS and item.relation != "does-not-block",
        )
        for item in items
    ]
    windows = [
        Window(owner, times[owner].decided, times[owner].deadline)
        for owner, row in enumerate(rows)
        if row.trapped
    ]
    return set_traps(dice, news, windows)


def _concerns(
    decisions: int, items: Sequence[_Item], traps: Mapping[int, int]
) -> list[list[tuple[int, Relation]]]:
    """For each decision, the indices of the notices that touch it, and how."""
    concerns: list[list[tuple[int, Relation]]] = [[] for _ in range(decisions)]
    for index, item in enumerate(items):
        concerns[item.owner].append((index, item.relation))
    for owner, index in traps.items():
        concerns[owner].append((index, "irrelevant-role"))
    return concerns


def numbered(letter: str, count: int) -> list[str]:
    """So many ids, `n001` and on, which sort as they count."""
    width = len(str(count))
    return [f"{letter}{number:0{width}}" for number in range(1, count + 1)]
