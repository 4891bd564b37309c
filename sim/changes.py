"""Sources of change: which fact changes next, and how long until it does.

Independent constant hazards merge into one process of competing exponentials: the wait until any
fact changes is exponential at the sum of the rates, and the fact that does is drawn in proportion
to its rate. One change costs one step of a binary search, however many facts there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from theory import Constant

BLOCK = 1024
"""Changes drawn at once."""


def merged_changes(
    rng: np.random.Generator, hazards: Sequence[Constant]
) -> Iterator[tuple[float, int]]:
    """Pairs `(wait since the last change, fact that changes)` without end; none if no fact can."""
    reached = np.cumsum([hazard.rate for hazard in hazards], dtype=np.float64)
    total = reached[-1] if reached.size else 0.0
    while total > 0:
        waits = rng.standard_exponential(BLOCK) / total
        # The first fact whose cumulative rate exceeds the draw: never one of rate 0.
        facts = np.searchsorted(reached, rng.random(BLOCK) * total, side="right")
        yield from zip(waits.tolist(), facts.tolist(), strict=True)
