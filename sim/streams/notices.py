"""The wording of notices: who it is about, what happens, why, from when to when, and a last word.

Every part is drawn by itself from a dozen wordings or more, and all news that could matter to a
decision, decisive or not, draws on the same ones: wording tells nothing about a label. All of it
speaks of the future, since notices come out before what they announce.
"""

from __future__ import annotations

from sim.streams.dice import Dice
from sim.streams.names import Name
from sim.streams.template import capitalised, fill

SUBJECTS = (
    "{X} {e}",
    "All of {x} {e}",
    "The operators of {x} say that it {e}",
    "According to its keepers, {x} {e}",
    "The people who run {x} have announced that it {e}",
    "Anyone counting on {x} should know that it {e}",
    "Please note that {x} {e}",
    "News from {x}: it {e}",
    "The town office reports that {x} {e}",
    "A notice put up at {x} says that it {e}",
    "It has been confirmed that {x} {e}",
    "Staff at {x} report that it {e}",
    "We have been told that {x} {e}",
    "The management of {x} has decided that it {e}",
)
"""Who a notice is about: `{x}` is the name, `{X}` the same at the start, `{e}` the effect."""

BLOCKING = (
    "will be closed",
    "will be shut",
    "will be shut down",
    "will be out of service",
    "will be out of use",
    "will not be available",
    "will be off limits",
    "will not operate",
    "will stand idle",
    "will be taken out of operation",
    "will suspend all operations",
    "will be closed to everyone",
    "will come to a standstill",
    "will not be usable",
)
"""Effects that stop whoever needs the place."""

HARMLESS = (
    "will stay open while it is being painted",
    "will remain open under a new manager",
    "will carry on as usual with fewer staff",
    "will operate as usual and put up new signs",
    "will continue without interruption while inspectors visit",
    "will stay in full service and charge a little more",
    "will keep working as usual during a film shoot",
    "will remain available and try out a new logo",
    "will stay open and hand out free maps",
    "will run as usual with music in the entrance",
    "will remain in full use while lamps are replaced",
    "will stay available to all and mark an anniversary",
)
"""Effects that stop nobody."""

LAPSING = (
    "will no longer stand by what was arranged before",
    "will not honour earlier bookings",
    "will be closed to all who booked earlier",
    "will be out of reach for earlier bookings",
    "will drop every earlier commitment",
    "will not be available to those who booked earlier",
    "will cancel whatever was arranged before",
    "will turn away all earlier bookings",
    "will be off limits to those with earlier bookings",
    "will suspend all earlier arrangements",
    "will no longer serve earlier bookings",
    "will withdraw from all earlier arrangements",
)
"""Effects of a change: they stop whoever relied on how things were before it."""

REASONS = (
    "for repairs",
    "because of a burst pipe",
    "owing to a fault in the wiring",
    "because of storm damage",
    "because of a strike",
    "on safety grounds",
    "for an inspection",
    "owing to a shortage of staff",
    "by order of the fire service",
    "because of flooding nearby",
    "for urgent maintenance",
    "while a fault is traced",
    "owing to a gas leak",
    "because of a damaged ceiling",
)
"""Why."""

LAST_WORDS = (
    "",
    "",
    "No further details were given.",
    "Questions will be answered at the front desk.",
    "Any change will be posted here.",
    "The dates are firm.",
    "We regret the trouble this causes.",
    "Thank you for your patience.",
    "Please tell others who may be affected.",
    "A telephone line has been set up for questions.",
    "Those in charge ask for understanding.",
    "This replaces all earlier word on the matter.",
    "Refunds are handled by the usual office.",
    "The mayor has been informed.",
)
"""How it ends."""

_FRONTED = 0.2
"""Share of notices that begin with when."""


def write_notice(dice: Dice, name: Name, effects: tuple[str, ...], when: str) -> str:
    """A notice that `name` has one of the effects at `when`."""
    what = dice.pick(effects)
    reason = f" {dice.pick(REASONS)}" if effects is BLOCKING and dice.chance(0.7) else ""
    if dice.chance(_FRONTED):
        sentence = f"{capitalised(when)}, {name.inside} {what}{reason}."
    else:
        subject = fill(dice.pick(SUBJECTS), {"x": name, "e": what})
        sentence = f"{subject} {when}{reason}."
    return f"{sentence.replace('..', '.')} {dice.pick(LAST_WORDS)}".rstrip()
