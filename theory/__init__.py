"""What must be true: timelines, hazards, ceilings, the factorisation and the claims about them.

Pure: no clock, no files. SymPy, z3, SciPy and Hypothesis are imported only where they are used.
"""

from theory.ceiling import (
    RequiredRecall,
    RiskSplit,
    ceiling,
    max_gap,
    required_recall,
    risk_split,
    survival,
)
from theory.errors import BadInput
from theory.factorisation import Factorisation, Gain, gain, gain_same_judge
from theory.hazards import Constant, Hazard, Piecewise
from theory.timeline import Timeline

__all__ = [
    "BadInput",
    "Constant",
    "Factorisation",
    "Gain",
    "Hazard",
    "Piecewise",
    "RequiredRecall",
    "RiskSplit",
    "Timeline",
    "ceiling",
    "gain",
    "gain_same_judge",
    "max_gap",
    "required_recall",
    "risk_split",
    "survival",
]
