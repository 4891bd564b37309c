"""Hazards: the laws of the time at which a fact changes, one a file."""

from theory.hazards.base import Hazard
from theory.hazards.constant import Constant
from theory.hazards.piecewise import Piecewise

__all__ = ["Constant", "Hazard", "Piecewise"]
