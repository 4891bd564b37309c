"""Prompts: files in `llm/prompts/`, each with a version that goes into every record and key.

A file begins with `version: N`; then each `## role` begins a message, with `$names` to be filled
in. Whoever changes a word raises the version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import get_args

from llm.calls.request import Message, Role

FOLDER = Path(__file__).parent / "prompts"


@dataclass(frozen=True)
class Prompt:
    """A prompt that has not been filled in."""

    name: str
    version: int
    messages: tuple[tuple[Role, Template], ...]
    """The role and the words of each message."""

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    def filled(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The messages, with a value for every name in them."""
        return tuple(Message(role, text.substitute(values)) for role, text in self.messages)


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt in the file of this name."""
    head, *parts = (FOLDER / f"{name}.md").read_text(encoding="utf-8").split("\n## ")
    roles: dict[str, Role] = {role: role for role in get_args(Role)}
    messages = []
    for part in parts:
        role, _, text = part.partition("\n")
        messages.append((roles[role], Template(text.strip())))
    return Prompt(name, int(head.removeprefix("version:")), tuple(messages))
