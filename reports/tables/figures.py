"""The paper's figures, and which of ours lie outside what its counts allow."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from theory.inference import binomial_limits

SOURCE = "arXiv 2610.18126v1"
CONFIDENCE = 0.95
_FILE = Path(__file__).with_name("paper.toml")


@dataclass(frozen=True)
class PaperFigure:
    """A share that the paper reports, as a count."""

    stream: str
    router: str
    measure: str
    """accuracy, recall, pair_recall (of decisive pairs), keep or traps."""
    part: int
    of: int
    k: int = 3
    kind: str | None = None
    """Of changing decisions of one kind of reference only."""
    model: str | None = None
    """The paper's judge; None where none has a part in it."""
    why: str = ""
    """Why our reference figure lies elsewhere, where it does; braces stand for counts of our watch
    conditions (`reports.reference.CONDITIONS`)."""

    @property
    def share(self) -> float:
        """The share itself."""
        return self.part / self.of

    @property
    def limits(self) -> tuple[float, float]:
        """The count's exact 95 % limits."""
        low, high = binomial_limits(self.part, self.of, confidence=CONFIDENCE)
        return float(low), float(high)

    def allows(self, share: float) -> bool:
        """Whether a share lies within these limits."""
        low, high = self.limits
        return low <= share <= high


Figures: TypeAlias = Mapping[tuple[str, str, int, str, str | None], PaperFigure]
"""By stream, router, k, measure and kind."""


@cache
def paper_figures() -> Figures:
    """Every figure of the paper."""
    document = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    figures = (PaperFigure(**figure) for figure in document["figure"])
    return {(f.stream, f.router, f.k, f.measure, f.kind): f for f in figures}


def figures_beside(stream: str, decisions: int, standing: int) -> Figures:
    """The paper's figures for a stream as large and as balanced as its own; none for another.

    `decisions` and how many of them should stand, of one seed.
    """
    figures = paper_figures()
    alone = figures.get((stream, "none", 3, "accuracy", None))
    alike = alone is not None and (alone.part, alone.of) == (standing, decisions)
    return figures if alike else {}
