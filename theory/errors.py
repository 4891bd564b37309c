"""The one error for input that breaks a rule."""

from __future__ import annotations

from typing import Self

_LONGEST_VALUE = 80


class BadInput(ValueError):
    """An input breaks a rule; the message is one line that says where, what and why.

    `field` names the argument, option or column, `value` is what was given, `rule` completes the
    sentence ("must be > 0"). `file` and `line` (counted from 1) say where it stood, if in a file.
    """

    def __init__(
        self,
        field: str,
        value: object,
        rule: str,
        *,
        file: object = None,
        line: int | None = None,
    ) -> None:
        self.field = field
        self.value = value
        self.rule = rule
        self.file = file
        self.line = line
        super().__init__(field, value, rule)

    def at(self, file: object, line: int | None = None) -> Self:
        """The same error, placed at a line of a file."""
        return type(self)(self.field, self.value, self.rule, file=file, line=line)

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}: "
        place += "" if self.line is None else f"line {self.line}: "
        return f"{place}{self.field}(={_short(self.value)}) {self.rule}"


def _short(value: object) -> str:
    """The value on one line, cut where it is long; nothing in it can steer a terminal."""
    text = " ".join((value if isinstance(value, str) else repr(value)).split())
    if not text.isprintable():
        beginning = text[: _LONGEST_VALUE + 1]
        text = "".join(it if it.isprintable() else _escaped(it) for it in beginning)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
