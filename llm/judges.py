"""The judges by name."""

from __future__ import annotations

from collections.abc import Callable

from llm.judge import Judge
from llm.rules import Rules
from theory.errors import BadInput

JUDGES: dict[str, Callable[[], Judge]] = {
    "rules": Rules,
}
"""How each judge is made; whoever writes a judge adds a line."""


def make_judge(name: str) -> Judge:
    """The judge of this name. Simulated ones need gold: `sim.simulated` makes those."""
    if name not in JUDGES:
        raise BadInput("judge", name, f"must be one of {', '.join(JUDGES)}")
    return JUDGES[name]()
