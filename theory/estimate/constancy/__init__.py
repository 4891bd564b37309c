"""Tests of a constant hazard, one a file, and what a fit says of them together."""

from theory.estimate.constancy.suite import Tests, constancy

__all__ = ["Tests", "constancy"]
