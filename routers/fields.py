"""The kinds of field that an entry, a notice and a verdict have: what each accepts, in one table.

A value is a frozen dataclass whose fields name their kind; the same table checks a value when it is
made, reads it from JSON, writes it back and gives its JSON Schema. Unknown fields are kept in
`extra` and come back out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from routers.times import read_time
from theory.errors import BadInput

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Json: TypeAlias = Mapping[str, Any]
"""A JSON object."""

LONGEST_ID = 200
"""Characters of an id."""
LONGEST_TEXT = 250_000
"""Characters of one text: some 40,000 words, more than any judge should be made to read."""

Value = TypeVar("Value", bound="DataclassInstance")


class Kind(NamedTuple):
    """A kind of field."""

    read: Callable[[str, Any, datetime], Any]
    """Its value from what was given, with the field's name and the epoch; raises `BadInput`."""
    schema: Json
    """What JSON Schema can say of it."""


def described(kind: Kind, says: str) -> dict[str, object]:
    """The metadata of a dataclass field of this kind."""
    return {"kind": kind, "says": says}


def check(value: DataclassInstance, *, epoch: datetime) -> None:
    """Check every described field of a new value and put what was read in its place."""
    given = vars(value)
    for name, kind, optional in _plan(type(value)):
        if not (optional and given[name] is None):
            given[name] = kind.read(name, given[name], epoch)
    for name in given.get("extra", ()):
        if name in names(type(value)):
            raise BadInput(f"extra[{name}]", given["extra"][name], "must be given as the field")


def read_json(of: type[Value], document: object, **context: object) -> Value:
    """A value from its JSON object; fields it does not know go to `extra`."""
    if not isinstance(document, Mapping):
        raise BadInput("document", document, "must be a JSON object")
    known = names(of)
    given = {name: document[name] for name in known if name in document}
    for name in _required(of):
        if name not in given:
            raise BadInput(name, None, "must be given")
    extra = {name: value for name, value in document.items() if name not in known}
    make: Callable[..., Value] = of
    return make(**given, extra=extra, **context)


def restore(of: type[Value], document: Json, *, epoch: datetime) -> Value:
    """A value from a document that `write_json` gave: it passed every check when it was made."""
    shape = _shape(of)
    value = object.__new__(of)
    held = vars(value)
    held.update(shape.defaults)
    held.update(document)
    if len(held) == len(shape.names):
        held["extra"] = {}
    else:
        known = names(of)
        held["extra"] = {name: held.pop(name) for name in document if name not in known}
    held["epoch"] = epoch
    for name in shape.lists:
        held[name] = tuple(held[name])
    # Times are of one kind, and numbers were written as the floats that they are.
    if shape.time is not None and isinstance(held[shape.time], str):
        for name in shape.times:
            if held[name] is not None:
                held[name] = read_time(name, held[name], epoch)
    return value


def write_json(
    value: DataclassInstance, *, time: Callable[[float], float | str] | None = None
) -> dict[str, Any]:
    """The JSON object of a value: all it holds, less what is None.

    `time` says how times are written, where that is not as they are held.
    """
    shape = _shape(type(value))
    held = vars(value)
    document: dict[str, Any] = {
        name: list(item) if isinstance(item, tuple) else item
        for name in shape.names
        if (item := held[name]) is not None
    }
    if time is not None:
        for name in shape.times:
            if name in document:
                document[name] = time(document[name])
    document.update(held["extra"])
    return document


def dumps(document: object, *, field: str = "document") -> str:
    """Compact JSON; refuses what JSON cannot hold."""
    try:
        text = _COMPACT.encode(document)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(field, document, f"must be what JSON can hold ({_reason(error)})") from error
    return text


def loads(text: str) -> Json:
    """One JSON object; refuses the NaN and Infinity that Python would let pass."""
    try:
        document = _STRICT.decode(text)
    except (ValueError, RecursionError) as error:
        raise BadInput("document", text, f"must be JSON ({_reason(error)})") from error
    if not isinstance(document, dict):
        raise BadInput("document", text, "must be a JSON object")
    return document


@cache
def names(of: type[DataclassInstance]) -> frozenset[str]:
    """The names of the fields that JSON documents have."""
    return frozenset(field.name for field in _described(of))


@cache
def schema_of(of: type[DataclassInstance]) -> Json:
    """The JSON Schema of a value's documents, as far as JSON Schema can say it."""
    properties = {}
    for field in _described(of):
        schema = dict(field.metadata["kind"].schema)
        if field.default is None:
            types = schema["type"]
            schema["type"] = [*(types if isinstance(types, list) else [types]), "null"]
        elif field.default is not MISSING:
            default = field.default
            schema["default"] = list(default) if isinstance(default, tuple) else default
        properties[field.name] = {"description": field.metadata["says"], **schema}
    return {
        "type": "object",
        "description": " ".join((of.__doc__ or "").split("\n\n")[0].split()),
        "properties": properties,
        "required": list(_required(of)),
        "additionalProperties": True,
    }


@cache
def _plan(of: type[DataclassInstance]) -> tuple[tuple[str, Kind, bool], ...]:
    return tuple(
        (field.name, field.metadata["kind"], field.default is None) for field in _described(of)
    )


@cache
def _required(of: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in _described(of) if field.default is MISSING)


class _Shape(NamedTuple):
    """What writing and restoring need to know of a class, looked up once."""

    names: tuple[str, ...]
    defaults: Json
    times: tuple[str, ...]
    time: str | None
    """One that every value has."""
    lists: tuple[str, ...]


@cache
def _shape(of: type[DataclassInstance]) -> _Shape:
    plan = _plan(of)
    return _Shape(
        names=tuple(name for name, _, _ in plan),
        defaults={f.name: f.default for f in _described(of) if f.default is not MISSING},
        times=tuple(name for name, kind, _ in plan if kind is TIME),
        time=next((name for name, kind, optional in plan if kind is TIME and not optional), None),
        lists=tuple(name for name, kind, _ in plan if kind in (TEXTS, OPTIONS)),
    )


def _described(of: type[DataclassInstance]) -> list[Field[Any]]:
    return [field for field in fields(of) if "kind" in field.metadata]


def _read_id(field: str, value: object, _epoch: datetime) -> str:
    if not isinstance(value, str) or not value:
        raise BadInput(field, value, "must be a text that is not empty")
    if len(value) > LONGEST_ID:
        raise BadInput(field, value, f"must be at most {LONGEST_ID} characters long")
    # Ids stand in tables and error lines: nothing in them may move or hide the rest of the line.
    if not value.isprintable() or value != value.strip():
        raise BadInput(field, repr(value), "must be printable, with no space at either end")
    return value


def _read_text(field: str, value: object, _epoch: datetime) -> str:
    if not isinstance(value, str):
        raise BadInput(field, value, "must be a text")
    if len(value) > LONGEST_TEXT:
        raise BadInput(field, value, f"must be at most {LONGEST_TEXT:,} characters long")
    if not value or value.isspace():
        raise BadInput(field, value, "must not be empty")
    return _without_controls(field, value)


def _read_remark(field: str, value: object, epoch: datetime) -> str:
    return "" if value == "" else _read_text(field, value, epoch)


def _without_controls(field: str, text: str) -> str:
    # isprintable() is a fast yes for nearly every text.
    if not text.isprintable() and (found := _CONTROL.search(text)) is not None:
        code = f"U+{ord(found[0]):04X}"
        rule = f"must hold no control character ({code} at {found.start()})"
        raise BadInput(field, text, rule)
    return text


def _read_texts(field: str, value: object, epoch: datetime) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise BadInput(field, value, "must be a list of texts")
    return tuple([_read_text(f"{field}[{i}]", text, epoch) for i, text in enumerate(value)])


def _read_options(field: str, value: object, epoch: datetime) -> tuple[str, ...]:
    options = _read_texts(field, value, epoch)
    if not options:
        raise BadInput(field, value, "must name at least one option")
    return options


def _read_index(field: str, value: object, _epoch: datetime) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise BadInput(field, value, "must be a whole number >= 0")
    return value


def _read_amount(field: str, value: object, _epoch: datetime) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(field, value, "must be a number")
    if not (math.isfinite(value) and value >= 0):
        raise BadInput(field, value, "must be finite and >= 0")
    return value


def _read_score(field: str, value: object, epoch: datetime) -> float:
    amount = _read_amount(field, value, epoch)
    if amount == 0:
        raise BadInput(field, value, "must be > 0")
    return amount


def _read_flag(field: str, value: object, _epoch: datetime) -> bool:
    if not isinstance(value, bool):
        raise BadInput(field, value, "must be true or false")
    return value


def _read_choice(field: str, value: object, _epoch: datetime) -> str:
    if value not in ("keep", "switch"):
        raise BadInput(field, value, "must be keep or switch")
    return str(value)


def _refuse_constant(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON number")


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant)
_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


# Tab, line feed and carriage return are layout; the other controls, and halves of surrogate pairs,
# have no place in a text and may steer the terminal that shows it.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_NO_CONTROL = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$"

_TEXT_SCHEMA = {
    "type": "string",
    "maxLength": LONGEST_TEXT,
    "allOf": [{"pattern": r"\S"}, {"pattern": _NO_CONTROL}],
}

ID = Kind(
    _read_id,
    {
        "type": "string",
        "minLength": 1,
        "maxLength": LONGEST_ID,
        "pattern": r"^[^\u0000-\u001f\u007f-\u009f]+$",
    },
)
TEXT = Kind(_read_text, _TEXT_SCHEMA)
REMARK = Kind(_read_remark, {"type": "string", "maxLength": LONGEST_TEXT, "pattern": _NO_CONTROL})
"""A text that may be empty."""
TEXTS = Kind(_read_texts, {"type": "array", "items": _TEXT_SCHEMA})
OPTIONS = Kind(_read_options, {"type": "array", "items": _TEXT_SCHEMA, "minItems": 1})
TIME = Kind(
    read_time,
    {"type": ["number", "string"], "pattern": r"^\d{4}.*\d([Zz]|[+-]\d{2}(:?\d{2})?)$"},
)
INDEX = Kind(_read_index, {"type": "integer", "minimum": 0})
AMOUNT = Kind(_read_amount, {"type": "number", "minimum": 0})
SCORE = Kind(_read_score, {"type": "number", "exclusiveMinimum": 0})
FLAG = Kind(_read_flag, {"type": "boolean"})
CHOICE = Kind(_read_choice, {"enum": ["keep", "switch"]})
