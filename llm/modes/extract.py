"""The model writes down what each notice says; code compares the intervals and decides.

For each notice the model says whether it concerns something that the activity needs, whether it
stops it, and from when to when. What it wrote of dates is read by the reader of `rules` and the
time filter. The decision switches if one notice concerns, stops, and overlaps the activity.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from llm.activity import activity_of, meets
from llm.json_object import Malformed, require_fields
from llm.modes.mode import Found, Mode
from routers import Entry, Notice
from routers.reading.intervals import Interval, read_intervals

_FIELDS = ("number", "concerns", "blocks", "start", "end")
_LONGEST = 40
"""Characters of the longest date that is read."""


def read_readings(document: dict[str, Any], entry: Entry, notices: Sequence[Notice]) -> Found:
    """The choice that follows from what the model wrote of each notice."""
    require_fields(document, ("notices",))
    readings = document["notices"]
    if not isinstance(readings, list) or not all(isinstance(it, dict) for it in readings):
        raise Malformed("notices is no list of objects")
    for reading in readings:
        require_fields(reading, _FIELDS, "an item of notices")
    if sorted(str(it["number"]) for it in readings) != sorted(map(str, _numbers(notices))):
        raise Malformed(f"notices must have one item for each number from 1 to {len(notices)}")
    activity = activity_of(entry)
    stops = []
    for reading in sorted(readings, key=lambda it: int(it["number"])):
        notice = notices[int(reading["number"]) - 1]
        concerns, blocks = _flag(reading, "concerns"), _flag(reading, "blocks")
        interval = _interval(reading, notice)
        if concerns and blocks and meets(interval, activity):
            stops.append(notice.id)
    if stops:
        return Found("switch", f"{', '.join(stops)} stops something needed during the activity")
    return Found("keep", "no notice stops something needed during the activity")


def _numbers(notices: Sequence[Notice]) -> range:
    return range(1, len(notices) + 1)


def _flag(reading: dict[str, Any], name: str) -> bool:
    value = reading[name]
    if not isinstance(value, bool):
        raise Malformed(f"{name} of notice {reading['number']} is neither true nor false")
    return value


def _interval(reading: dict[str, Any], notice: Notice) -> Interval:
    """The interval that the model wrote down, half-open, in hours from the notice's epoch.

    Without a beginning and an end, the news holds from its publication on.
    """
    start, end = (_date(reading, name) for name in ("start", "end"))
    if start is None and end is None:
        return Interval(notice.published, math.inf)
    if start is None:
        text = f"until {end}"
    else:
        text = f"from {start} until further notice" if end is None else f"from {start} to {end}"
    found = read_intervals(text, epoch=notice.epoch, published=notice.published)
    if len(found) != 1:
        says = f"start {start!r} and end {end!r} of notice {reading['number']} are no interval"
        raise Malformed(says)
    return found[0]


def _date(reading: dict[str, Any], name: str) -> str | None:
    value = reading[name]
    if value is None or (isinstance(value, str) and value.strip().lower() in ("", "null", "none")):
        return None
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise Malformed(f"{name} of notice {reading['number']} is no date")
    return value.strip()


_DATE = {"type": ["string", "null"]}
_SCHEMA = {
    "type": "object",
    "properties": {
        "notices": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "concerns": {"type": "boolean"},
                    "blocks": {"type": "boolean"},
                    "start": _DATE,
                    "end": _DATE,
                },
                "required": list(_FIELDS),
                "additionalProperties": False,
            },
        }
    },
    "required": ["notices"],
    "additionalProperties": False,
}

EXTRACT = Mode("extract", json.dumps(_SCHEMA), read_readings, output_per_notice=100)
