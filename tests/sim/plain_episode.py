"""An episode once more, plain and slow: every notice against every decision, by the definition.

No clock, no ledger, and a router made anew for each notice. Judges take no time.
"""

from llm.reading import input_tokens
from sim.asking import Asking


def plain_episode(stream, make, judge, *, lead=0.0):
    """The rows of an episode's decisions, deliveries and calls; `make` gives an empty router."""
    moments = [Asking(lead=lead).moment(entry) for entry in stream.decisions]
    numbers = {entry.id: number for number, entry in enumerate(stream.decisions)}
    read = [[] for _ in stream.decisions]
    deliveries = []
    for notice in stream.notices:
        router = make()
        for entry, moment in zip(stream.decisions, moments, strict=True):
            if entry.decided < notice.published <= moment:
                router.open(entry.public())
        for made in router.route(notice.public()):
            read[numbers[made.entry]].append(notice)
            deliveries.append((made.entry, notice.id, notice.published, made.score))
    calls, verdicts = [], {}
    for moment, number in sorted(zip(moments, range(len(moments)), strict=True)):
        if read[number]:
            entry, notices = stream.decisions[number].public(), read[number]
            verdict = judge.judge(entry, [notice.public() for notice in notices])
            verdicts[number] = verdict.choice, input_tokens(entry, notices)
            said = (verdict.choice, True, verdict.reason, None, None, verdicts[number][1])
            own = (verdict.tokens, verdict.latency)
            calls.append((entry.id, moment, moment, moment, *said, *own))
    decisions = []
    for number, entry in enumerate(stream.decisions):
        choice, tokens = verdicts.get(number, (None, 0))
        times = (entry.decided, entry.deadline, entry.action, entry.outcome, moments[number])
        told = (
            len(read[number]),
            choice is not None,
            choice,
            None,
            False,
            choice or "keep",
            tokens,
        )
        decisions.append((entry.id, *times, *told))
    return decisions, deliveries, calls
