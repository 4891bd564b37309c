"""Streams and judges made by hand, small enough to know what must come of them."""

from routers import Entry, Notice, Verdict
from routers.times import EPOCH
from sim.streams import Concern, Gold, Labelled, Stream, Truth


def entry(entry_id, decided, deadline, *, action=None, **fields):
    action = deadline if action is None else action
    given = {
        "written": decided - 2,
        "verified": decided - 1,
        "action": action,
        "activity_end": action + 1,
        "outcome": action + 1,
        "options": (f"Hall {entry_id}", f"Barn {entry_id}"),
        "text": f"The concert is at Hall {entry_id}.",
    }
    return Entry(id=entry_id, decided=decided, deadline=deadline, **(given | fields))


def notice(notice_id, published, text="Everything is closed.", **fields):
    return Notice(id=notice_id, published=published, text=text, **fields)


def stream(decisions, notices):
    return Stream("by-hand", EPOCH, tuple(decisions), tuple(notices))


def labelled(decisions, notices, truths):
    """`truths` gives each decision's label and the relations of notices to it, by id."""
    gold = {
        decision: Truth(decision, label, notices=tuple(Concern(*pair) for pair in concerns.items()))
        for decision, (label, concerns) in truths.items()
    }
    return Labelled(stream(decisions, notices), Gold(gold))


class Recorder:
    """A judge that always says the same and remembers what it was handed."""

    name = "recorder"
    simulated = False
    gold = False

    def __init__(self, choice="switch"):
        self.verdict = Verdict(choice=choice, reason="so", tokens=7, latency=0.5)
        self.asked = []

    def judge(self, entry, notices):
        self.asked.append((entry, list(notices)))
        return self.verdict

    @property
    def read(self):
        return {entry.id: [notice.id for notice in notices] for entry, notices in self.asked}
