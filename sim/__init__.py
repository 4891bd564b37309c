"""The simulated world and its clock, the vectorised engine, experiments and sweeps."""

from sim.grid import grid
from sim.sweep import sweep

__all__ = ["grid", "sweep"]
