"""The model reads everything and answers keep or switch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from llm.json_object import Malformed, require_fields
from llm.modes.mode import Found, Mode
from routers import Entry, Notice


def read_choice(document: dict[str, Any], entry: Entry, notices: Sequence[Notice]) -> Found:
    """The choice that the model made, in whichever case it is written."""
    del entry, notices
    require_fields(document, ("reason", "choice"))
    choice, reason = document["choice"], document["reason"]
    if not isinstance(reason, str):
        raise Malformed("reason is no text")
    said = choice.strip().lower() if isinstance(choice, str) else None
    if said == "keep":
        return Found("keep", reason)
    if said == "switch":
        return Found("switch", reason)
    raise Malformed('choice is neither "keep" nor "switch"')


_SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "choice": {"type": "string", "enum": ["keep", "switch"]},
    },
    "required": ["reason", "choice"],
    "additionalProperties": False,
}

DECIDE = Mode("decide", json.dumps(_SCHEMA), read_choice, output_per_notice=0)
