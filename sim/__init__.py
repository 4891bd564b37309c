"""The simulated world and its clock, the vectorised engine, experiments and sweeps."""

from sim.asking import Asking
from sim.episode import Episode, episode
from sim.grid import grid
from sim.sweep import sweep

__all__ = ["Asking", "Episode", "episode", "grid", "sweep"]
