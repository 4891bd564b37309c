"""What an engine is: it plays decisions out and tells when the facts of each first changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np

from theory import Constant, Timeline
from theory.arrays import Floats

EngineName: TypeAlias = Literal["simpy", "numpy"]


class Engine(Protocol):
    """Play independent decisions out, each with facts of its own, all on one timeline."""

    def __call__(
        self,
        rng: np.random.Generator,
        hazards: Sequence[Constant],
        timeline: Timeline,
        decisions: int,
    ) -> Floats:
        """The first change after `verified` of each decision's facts, shape (decisions,).

        Times on the timeline's clock; inf where no fact changes up to the action.
        """
        ...


def load_engine(name: EngineName) -> Engine:
    """The engine of that name, imported only now: SimPy is not needed for the other one."""
    if name == "simpy":
        from sim.world import play
    else:
        from sim.engine import play
    return play
