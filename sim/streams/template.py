"""Templates of sentences: names and texts in their places.

`{x}` stands for a name or text within a sentence, `{X}` for the same at its start.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from string import Formatter

from sim.streams.names import Name


def fill(template: str, parts: Mapping[str, Name | str]) -> str:
    """The template with its parts in place."""
    filled = []
    for literal, key, starts in _pieces(template):
        filled.append(literal)
        if key:
            part = parts[key]
            if isinstance(part, Name):
                filled.append(part.first if starts else part.inside)
            else:
                filled.append(capitalised(part) if starts else part)
    return "".join(filled).replace("..", ".")  # `6 p.m.` at the end of a sentence


def capitalised(text: str) -> str:
    """The text as it begins a sentence."""
    return text[:1].upper() + text[1:]


@cache
def _pieces(template: str) -> tuple[tuple[str, str, bool], ...]:
    """Each literal with the key that follows it, in lower case, and whether it starts a sentence.

    The templates are a fixed few hundred, so that what is kept is bounded.
    """
    return tuple(
        (literal, (key or "").lower(), (key or "").isupper())
        for literal, key, _, _ in Formatter().parse(template)
    )
