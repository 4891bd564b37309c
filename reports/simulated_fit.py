"""A fit to a simulated log: what the page shows unless it is given one of real changes."""

from __future__ import annotations

import hashlib
from importlib.metadata import version

from reports.fit_file import SavedFit, Source
from reports.page.shown_fit import ShownFit
from reports.times import TimeKind
from sim.cells import cell_rng
from sim.change_log import change_log
from theory import Constant
from theory.estimate import change_times, fit, gap_ceilings

RATE = 0.02
"""Changes per hour of every fact."""
FACTS = ("clinic", "ferry", "harbour", "market", "museum", "station", "substation", "tram")
"""What changes."""
HOURS = 60 * 24.0
"""How long the facts are watched."""
GAPS = (1.0, 6.0, 24.0, 72.0, 168.0)
"""Execution gaps, in hours, that the ceiling is given for."""


def simulated_fit(seed: int) -> ShownFit:
    """Simulate a log of facts that all change at one constant hazard, and fit it."""
    rng = cell_rng(seed, {"report": "simulated log"})
    log = change_log(rng, {fact: Constant(RATE) for fact in FACTS}, HOURS)
    fitted = fit(change_times(log, span_start=0.0, span_end=HOURS), rng)
    saved = SavedFit(
        fit=fitted,
        ceilings=gap_ceilings(fitted.pooled, GAPS),
        source=Source(
            file="simulated log",
            sha256=hashlib.sha256(log.write_csv().encode()).hexdigest(),
            kind="change times",
            columns={"time": "time", "fact": "fact"},
            where=(),
            rows=log.height,
            left_out=0,
            times=TimeKind.NUMBER,
        ),
        seed=seed,
        version=version("bestbefore"),
    )
    return ShownFit(saved, simulated=RATE)
