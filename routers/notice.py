"""A notice: one published item of news."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self

from routers.fields import ID, TEXT, TIME, Json, check, described, read_json, write_json
from routers.times import EPOCH, TimeKind, kind_of, write_time


@dataclass(frozen=True, kw_only=True)
class Notice:
    """One published item of news; the interval it speaks of is stated in its text.

    Times are hours from `epoch`. Refuses with a `BadInput` that names the field.
    """

    id: str = field(metadata=described(ID, "Its name, unique in its ledger."))
    published: float = field(metadata=described(TIME, "When it was published."))
    text: str = field(metadata=described(TEXT, "What it says."))
    extra: Json = field(default_factory=dict, hash=False)
    """Fields that a document had beyond these, as they were."""
    epoch: datetime = EPOCH
    """Where its hours count from, so that dates in its text can be compared with times."""

    def __post_init__(self) -> None:
        check(self, epoch=self.epoch)

    @classmethod
    def from_json(cls, document: object, *, epoch: datetime = EPOCH) -> Self:
        """A notice from its JSON object."""
        return read_json(cls, document, epoch=epoch)

    def to_json(self) -> dict[str, object]:
        """Its JSON object; its time as it was given."""
        if self.kind == "number":
            return write_json(self)
        return write_json(self, time=lambda time: write_time(time, "iso", self.epoch))

    @property
    def kind(self) -> TimeKind:
        """How its time was given."""
        return kind_of(self.published)

    def public(self) -> Self:
        """The same notice without `extra`: unknown fields may hold anything, gold too."""
        return replace(self, extra={}) if self.extra else self
