"""A verdict: what a judge, or a person, says of an entry at its deadline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Self, TypeAlias

from routers.fields import (
    AMOUNT,
    CHOICE,
    INDEX,
    REMARK,
    Json,
    check,
    described,
    read_json,
    write_json,
)
from routers.times import EPOCH

Choice: TypeAlias = Literal["keep", "switch"]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A judge's answer on one entry: keep what was chosen, or switch.

    Refuses with a `BadInput` that names the field.
    """

    choice: Choice = field(metadata=described(CHOICE, "Keep what was chosen, or switch."))
    reason: str = field(default="", metadata=described(REMARK, "Why, in words."))
    tokens: int | None = field(
        default=None, metadata=described(INDEX, "Tokens that the judge read and wrote.")
    )
    latency: float | None = field(
        default=None, metadata=described(AMOUNT, "Seconds that the judge took.")
    )
    extra: Json = field(default_factory=dict, hash=False)
    """Fields that a document had beyond these, as they were."""

    def __post_init__(self) -> None:
        check(self, epoch=EPOCH)

    @classmethod
    def from_json(cls, document: object) -> Self:
        """A verdict from its JSON object."""
        return read_json(cls, document)

    def to_json(self) -> dict[str, object]:
        """Its JSON object."""
        return write_json(self)
