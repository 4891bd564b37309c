"""Tests of a constant hazard, one a file, and what a fit says of them together."""

from theory.estimate.constancy.suite import Constancy, constancy

__all__ = ["Constancy", "constancy"]
