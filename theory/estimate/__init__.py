"""Hazards from change logs: what was seen of facts, their rates, and tests of a constant hazard.

Frames of changes in, in hours; frozen values out. `change_times`, `outages` and `spells` read a log
into a `History`, which `fit` and all else read.
"""

from theory.estimate.ages import AgeBin
from theory.estimate.ceilings import GapCeiling, gap_ceilings
from theory.estimate.change_times import change_times
from theory.estimate.constancy import Constancy
from theory.estimate.fit import Estimate, Fit, fit
from theory.estimate.history import Dropped, History, Span
from theory.estimate.outages import outages
from theory.estimate.rate import Rate
from theory.estimate.significance import Significance
from theory.estimate.spells import spells

__all__ = [
    "AgeBin",
    "Constancy",
    "Dropped",
    "Estimate",
    "Fit",
    "GapCeiling",
    "History",
    "Rate",
    "Significance",
    "Span",
    "change_times",
    "fit",
    "gap_ceilings",
    "outages",
    "spells",
]
