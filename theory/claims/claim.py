"""What a claim is: a statement of the theory, what it rests on, and its machine proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from theory.claims.proof import Proof, Step


@dataclass(frozen=True)
class Claim:
    """A statement of the theory; its experiment lives in `sim.experiments` under the same id."""

    id: str
    """A short name, the same on the command line and on the page."""
    title: str
    """What it is called in prose."""
    statement: str
    """The statement in LaTeX."""
    meaning: str
    """The statement in one plain sentence."""
    assumptions: tuple[str, ...]
    """What it rests on, including every theorem that the machine does not establish."""
    steps: Callable[[], Sequence[Step]]
    """Works the proof out, step by step."""

    def prove(self) -> Proof:
        """Run every step of the machine proof."""
        return Proof(tuple(self.steps()))
