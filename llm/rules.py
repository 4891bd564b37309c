"""The judge that follows rules: names, effects and dates, read out of the texts alone.

It switches if a notice names something that the activity needs, says that it stops, and states an
interval that overlaps the activity. Comparing intervals is what code never gets wrong; what it
cannot do is understand a wording that its readers do not know.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from llm.activity import activity_of, meets
from llm.judge import NO_NEWS
from routers import Entry, Notice, Verdict
from routers.reading.dossier import read_needs
from routers.reading.effects import blocks
from routers.reading.intervals import Interval, stated_intervals
from routers.reading.names import NameIndex


class Rules:
    """Switches on news that stops something needed while the activity takes place."""

    name = "rules"
    simulated = False
    gold = False

    def judge(self, entry: Entry, notices: Sequence[Notice]) -> Verdict:
        """Switch on the first notice that stops the activity, else keep."""
        if not notices:
            return NO_NEWS
        needed: NameIndex[str] = NameIndex()
        for name in read_needs(entry).needed:
            needed.add(name, name)
        activity = activity_of(entry)
        for notice in notices:
            named = next(needed.find(notice.text), None)
            if named is not None and blocks(notice.text) and _overlaps(notice, activity):
                return Verdict(choice="switch", reason=f"{notice.id} stops {named}")
        return Verdict(choice="keep", reason="nothing needed stops during the activity")


def _overlaps(notice: Notice, activity: Interval) -> bool:
    # News that states no interval holds from its publication on.
    intervals = stated_intervals(notice) or [Interval(notice.published, math.inf)]
    return any(meets(interval, activity) for interval in intervals)
