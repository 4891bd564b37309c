"""A delivery: a router's act of sending one notice to one entry."""

from __future__ import annotations

from typing import NamedTuple, Self

from routers.fields import ID, SCORE, Json
from routers.times import EPOCH
from theory.errors import BadInput


class Delivery(NamedTuple):
    """One notice sent to one entry."""

    notice: str
    """The id of the notice."""
    entry: str
    """The id of the entry."""
    score: float
    """How well the router found them to match, > 0; comparable within one notice only."""

    @classmethod
    def from_json(cls, document: object) -> Self:
        """A delivery from its JSON object; refuses with a `BadInput` that names the field."""
        if not isinstance(document, dict):
            raise BadInput("document", document, "must be a JSON object")
        return cls(
            ID.read("notice", document.get("notice"), EPOCH),
            ID.read("entry", document.get("entry"), EPOCH),
            SCORE.read("score", document.get("score"), EPOCH),
        )

    def to_json(self) -> dict[str, object]:
        """Its JSON object."""
        return self._asdict()


SCHEMA: Json = {
    "type": "object",
    "description": "A router's act of sending one notice to one entry.",
    "properties": {
        "notice": {"description": "The id of the notice.", **ID.schema},
        "entry": {"description": "The id of the entry.", **ID.schema},
        "score": {"description": "How well they match, in the router's terms.", **SCORE.schema},
    },
    "required": ["notice", "entry", "score"],
}
