"""JSON Lines: objects a line, written with a hash, and read with the place of what is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from routers.fields import Json, dumps, loads
from theory import BadInput

Value = TypeVar("Value")


def as_line(document: Json) -> str:
    """The object as one line."""
    return f"{dumps(document)}\n"


def write_lines(path: Path, lines: Iterable[str]) -> str:
    """Write the lines; returns the SHA-256 of the file."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for line in lines:
            encoded = line.encode()
            digest.update(encoded)
            file.write(encoded)
    return digest.hexdigest()


def read_lines(path: Path, read: Callable[[Json], Value]) -> Iterator[Value]:
    """What `read` makes of each line's object; empty lines are passed over.

    A `BadInput` that it raises is placed at the file and line.
    """
    with path.open("rb") as file:
        for number, encoded in enumerate(file, start=1):
            try:
                line = encoded.decode("utf-8-sig" if number == 1 else "utf-8")
                if line.strip():
                    yield read(loads(line))
            except UnicodeDecodeError:
                raise BadInput("line", encoded, "must be UTF-8 text").at(path, number) from None
            except BadInput as error:
                raise error.at(path, number) from None


def required(given: Json, name: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """The value of a field that must be there."""
    if name not in given:
        raise BadInput(name, None, "must be given")
    return given[name]


def a_list(given: Json, name: str) -> list[Any]:
    """A field that is a list, empty where it is left out."""
    value = given.get(name, [])
    if not isinstance(value, list):
        raise BadInput(name, value, "must be a list")
    return value


def a_number(given: Json, name: str) -> float:
    """A field that is a number >= 0."""
    value = required(given, name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise BadInput(name, value, "must be a number >= 0")
    return float(value)


def an_index(name: str, value: object, count: int, of: str) -> int:
    """A whole number that counts one of so many things from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < count:
        raise BadInput(name, value, f"must number one of the {count} {of}, from 0")
    return value
