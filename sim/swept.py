"""The experiments that `bestbefore sweep` sweeps, one line each below."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from sim.ceiling_cell import ceiling_cell, ceiling_cells
from sim.cells import Parameters
from sim.episode_cell import episode_cell, episode_cells
from sim.factorisation_cell import factorisation_cell, factorisation_cells
from sim.playing import CellFunction

ROUTED = ("recall", "K", "S", "L", "router", "k", "judge", "lead", "service", "slots")
"""Parameters of routers and judges: they stay out of a cell's stream, so that routers and judges
are compared under common random numbers."""


@dataclass(frozen=True)
class Swept:
    """An experiment that can be swept."""

    cells: Callable[..., list[Parameters]]
    """Makes its cells from axes by name; every axis has a default."""
    function: CellFunction
    """Plays a cell."""
    per_worker: int
    """Decisions that are a second or two of work: less does not pay for another process."""

    def takes(self, axis: str) -> bool:
        """Whether it has, or may have, an axis of this name: streams bring their own."""
        parameters = inspect.signature(self.cells).parameters
        return axis in parameters or any(it.kind is it.VAR_KEYWORD for it in parameters.values())


SWEPT: dict[str, Swept] = {
    "ceiling": Swept(ceiling_cells, ceiling_cell, per_worker=200_000_000),
    "factorisation": Swept(factorisation_cells, factorisation_cell, per_worker=25_000_000),
    "episode": Swept(episode_cells, episode_cell, per_worker=3_000),
}
