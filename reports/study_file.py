"""Studies read from TOML files: what to run, in the words of `bestbefore run`'s options."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reports.units import parse_duration
from sim.asking import Asking
from sim.streams import STREAMS
from sim.study import Study
from theory.errors import BadInput

DEFAULT = Path(__file__).with_name("default.toml")
"""The study that is run where none is named; offline, in less than two minutes."""

_NAMES = ("streams", "routers", "judges")
_NUMBERS = {"k": 1, "seeds": 0}
"""Lists of whole numbers, each with its least value."""
_DURATIONS = ("lead", "service")
_FIELDS = (*_NAMES, *_NUMBERS, *_DURATIONS, "slots", "watch", "encoder")


def read_study(path: Path) -> Study:
    """Read a study; a `BadInput` names the file and the field.

    `streams`, `routers` and `judges` are lists of names, a stream also a folder beside the file;
    `k` and `seeds` lists of whole numbers, [3] and [0] by default; `watch`, `encoder`, `lead`,
    `service` and `slots` as the options of the same names.
    """
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput("study", str(path), f"could not be read: {reason}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadInput("study", path.name, f"must be TOML: {error}").at(path) from error
    try:
        return _study(document, path.parent)
    except BadInput as error:
        raise error.at(path) from error


def _study(document: Mapping[str, Any], folder: Path) -> Study:
    for name in document:
        if name not in _FIELDS:
            raise BadInput(name, document[name], f"must be one of {', '.join(_FIELDS)}")
    streams, routers, judges = (_names(name, document.get(name)) for name in _NAMES)
    return Study(
        streams=[name if name in STREAMS else str(folder / name) for name in streams],
        routers=routers,
        judges=judges,
        ks=_numbers("k", document.get("k", [3])),
        seeds=_numbers("seeds", document.get("seeds", [0])),
        watch=_text("watch", document.get("watch")),
        encoder=_text("encoder", document.get("encoder")),
        asking=Asking(
            **{name: parse_duration(str(document.get(name, 0)), field=name) for name in _DURATIONS},
            slots=_slots(document.get("slots")),
        ),
    )


def _names(field: str, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
        raise BadInput(field, value, "must be a list of names")
    return value


def _numbers(field: str, value: object) -> list[int]:
    least = _NUMBERS[field]
    if not isinstance(value, list) or not all(
        isinstance(number, int) and not isinstance(number, bool) and number >= least
        for number in value
    ):
        raise BadInput(field, value, f"must be a list of whole numbers >= {least}")
    if any(number >= 2**63 for number in value):  # Parquet keeps 64 bits
        raise BadInput(field, value, "must be a list of whole numbers below 2^63")
    return value


def _text(field: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise BadInput(field, value, "must be a name")
    return value


def _slots(value: object) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise BadInput("slots", value, "must be a whole number")
    return value
