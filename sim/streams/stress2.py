"""STRESS, second sample: as STRESS, with the numbers of the paper's second sample."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sim.streams.controlled import OPEN, WINDOW
from sim.streams.parameters import Advance, ignore
from sim.streams.stream import Labelled
from sim.streams.stress import make_stress

STANDING = Fraction(45, 73)
"""The paper's share, counted from its accuracy without routing."""


def stress2(
    rng: np.random.Generator,
    *,
    decisions: int = 73,
    standing: int | None = None,
    traps: int | None = None,
    open_decisions: int = OPEN,
    window: float = WINDOW,
    advance: Advance = ignore,
) -> Labelled:
    """The second sample: 73 decisions unless asked otherwise, of which 45 stand; 24 traps."""
    return make_stress(
        rng, "stress2", decisions, standing, STANDING, traps, open_decisions, window, advance
    )
