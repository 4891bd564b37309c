"""An entry of the ledger: a decision, and all that later news is held against."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import Self

from routers.fields import (
    FLAG,
    ID,
    INDEX,
    OPTIONS,
    TEXT,
    TEXTS,
    TIME,
    Json,
    check,
    described,
    read_json,
    write_json,
)
from routers.times import EPOCH, TimeKind, kind_of, shown, write_time
from theory.errors import BadInput


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A decision in the ledger, open for news until its revision deadline.

    Times are hours from `epoch` and keep the order of `theory.Timeline`, as far as they are given.
    Refuses with a `BadInput` that names the field.
    """

    id: str = field(metadata=described(ID, "Its name, unique in its ledger."))
    written: float | None = field(
        default=None, metadata=described(TIME, "When the evidence was written.")
    )
    verified: float | None = field(
        default=None, metadata=described(TIME, "When the evidence was last found true.")
    )
    decided: float = field(
        metadata=described(TIME, "When the agent committed itself; later news can reach it.")
    )
    deadline: float = field(
        metadata=described(TIME, "The last moment at which the decision can be revised.")
    )
    action: float | None = field(
        default=None, metadata=described(TIME, "When the decision is carried out.")
    )
    activity_end: float | None = field(
        default=None, metadata=described(TIME, "When what was decided on is over.")
    )
    outcome: float | None = field(
        default=None, metadata=described(TIME, "When the outcome is seen.")
    )
    activity: str | None = field(
        default=None, metadata=described(TEXT, "What was decided on, in a few words.")
    )
    options: tuple[str, ...] = field(
        metadata=described(OPTIONS, "What could be chosen, each by its name.")
    )
    chosen: int = field(
        default=0, metadata=described(INDEX, "The option that was chosen, counted from 0.")
    )
    text: str = field(metadata=described(TEXT, "The decision in words."))
    evidence: tuple[str, ...] = field(
        default=(), metadata=described(TEXTS, "What the decision was based on.")
    )
    background: tuple[str, ...] = field(
        default=(), metadata=described(TEXTS, "Further facts about it; with the text, the dossier.")
    )
    watch: tuple[str, ...] = field(
        default=(), metadata=described(TEXTS, "Conditions whose change would stop the activity.")
    )
    dependencies: tuple[str, ...] = field(
        default=(), metadata=described(TEXTS, "Names of what it is stated to depend on.")
    )
    confirm: bool = field(
        default=False,
        metadata=described(FLAG, "Whether a switch needs a person's word before it counts."),
    )
    extra: Json = field(default_factory=dict, hash=False)
    """Fields that a document had beyond these, as they were."""
    epoch: datetime = EPOCH
    """Where its hours count from, so that dates in texts can be compared with its times."""

    def __post_init__(self) -> None:
        check(self, epoch=self.epoch)
        if self.chosen >= len(self.options):
            raise BadInput("chosen", self.chosen, f"must be < {len(self.options)}, the options")
        self._check_times()

    @classmethod
    def from_json(cls, document: object, *, epoch: datetime = EPOCH) -> Self:
        """An entry from its JSON object."""
        return read_json(cls, document, epoch=epoch)

    def to_json(self) -> dict[str, object]:
        """Its JSON object; times as they were given."""
        if self.kind == "number":
            return write_json(self)
        return write_json(self, time=lambda time: write_time(time, "iso", self.epoch))

    @property
    def kind(self) -> TimeKind:
        """How its times were given."""
        return kind_of(self.decided)

    def public(self) -> Self:
        """The same entry without `extra`: unknown fields may hold anything, gold too."""
        return replace(self, extra={}) if self.extra else self

    def _check_times(self) -> None:
        times = {name: time for name in _TIMES if (time := getattr(self, name)) is not None}
        for name, time in times.items():
            if kind_of(time) != self.kind:
                raise BadInput(name, shown(time), f"must be {self.kind}, as decided is")
        for earlier, later in pairwise(name for name in times if name != "activity_end"):
            _check_order(times, earlier, later, strictly=later == "deadline")
        _check_order(times, "action", "activity_end", strictly=False)


_TIMES = ("written", "verified", "decided", "deadline", "action", "outcome", "activity_end")


def _check_order(times: dict[str, float], earlier: str, later: str, *, strictly: bool) -> None:
    if earlier not in times or later not in times:
        return
    before, after = times[earlier], times[later]
    if before > after or (strictly and before == after):
        relation = "after" if strictly else "at or after"
        raise BadInput(later, shown(after), f"must be {relation} {earlier}(={shown(before)})")
