"""What a way to ask is: a prompt, the form of its answers, and how these become a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from routers import Entry, Notice
from routers.verdict import Choice


class Found(NamedTuple):
    """What follows from an answer that can be used."""

    choice: Choice
    reason: str


Read: TypeAlias = Callable[[dict[str, Any], Entry, Sequence[Notice]], Found]
"""Reads an answer's JSON object; raises `Malformed` with what is wrong with it."""


@dataclass(frozen=True)
class Mode:
    """A way to ask a model about a decision and the notices that reached it."""

    name: str
    """Of the mode, and of its prompt in `llm/prompts/`."""
    form: str
    """The JSON Schema of its answers, as text: part of the key of every recorded answer."""
    read: Read
    output_per_notice: int
    """Further tokens that an answer may take for each notice."""
