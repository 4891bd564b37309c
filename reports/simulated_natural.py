"""A natural stream without routing: what the page shows unless it is given a run of one."""

from __future__ import annotations

from reports.page.shown_natural import UNROUTED, ShownNatural
from sim.runs import run
from sim.streams import make_stream

DECISIONS = 4_000
"""Enough for limits of a few points a bin, in three seconds."""


def simulated_natural(seed: int) -> ShownNatural:
    """Make the stream and play it through; without routing no judge is ever asked."""
    made = make_stream("natural", seed=seed, decisions=DECISIONS)
    played = run(made, routers=[UNROUTED], judges=["rules"], seed=seed)
    return ShownNatural(played, "a stream simulated for this page")
