"""How long a decision stays right: survival, the freshness ceiling and where the risk lies.

Facts are independent, so the chance that none changes is the product of their survivals. With
constant hazards it is exp(-sum of rates x time), the form of the paper (arXiv 2610.18126).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from theory.arrays import FloatOrArray, at_least, plain, probability
from theory.errors import BadInput
from theory.hazards.base import Hazard
from theory.hazards.constant import Constant
from theory.timeline import Timeline

Hazards: TypeAlias = Hazard | Sequence[Hazard]
"""One fact's hazard, or those of several independent facts."""


class RiskSplit(NamedTuple):
    """Where the first change after `verified` falls; the four shares add to 1."""

    stale: FloatOrArray
    """Already news when the decision was made: freshness could have avoided it."""
    recoverable: FloatOrArray
    """Published in `(decided, deadline]`: routing can still reach the decision."""
    late: FloatOrArray
    """Published after the deadline, before the action: beyond any router."""
    safe: FloatOrArray
    """No change up to the action."""

    @property
    def routed_ceiling(self) -> FloatOrArray:
        """Accuracy under perfect routing and judgment, safe + recoverable."""
        return self.safe + self.recoverable


class RequiredRecall(NamedTuple):
    """The recall among recoverable changes that a target accuracy needs."""

    recall: float
    """<= 0: no routing needed; > 1: out of reach."""
    binding: Literal["stale", "late", "judge"] | None
    """The largest loss left at full recall where the target is out of reach, else None."""

    @property
    def reachable(self) -> bool:
        """Whether some router reaches the target."""
        return self.recall <= 1


def no_change(
    hazards: Hazards,
    start: FloatOrArray,
    end: FloatOrArray,
    *,
    since: FloatOrArray | None = None,
) -> FloatOrArray:
    """P(no fact changes in `(start, end]`), the product over independent facts; broadcasts."""
    facts = _facts(hazards)
    return plain(
        np.prod(
            np.stack([np.asarray(fact.survival(start, end, since=since)) for fact in facts]), axis=0
        )
    )


def survival(hazards: Hazards, timeline: Timeline) -> FloatOrArray:
    """P(every fact still holds at the action, given that it held when verified).

    exp(-lambda (t_a - t_v)) for constant hazards: the accuracy without routing.
    """
    return no_change(hazards, timeline.verified, timeline.action, since=timeline.written)


def ceiling(hazards: Hazards, timeline: Timeline) -> FloatOrArray:
    """The freshness ceiling: the most that `survival` can be, however fresh the evidence.

    exp(-lambda D_act) for constant hazards; attained when evidence is verified at the decision.
    """
    return no_change(hazards, timeline.decided, timeline.action, since=timeline.written)


def risk_split(hazards: Hazards, timeline: Timeline, *, delay: FloatOrArray = 0.0) -> RiskSplit:
    """Split the risk by the *first* change after `verified` and when its news is published.

    News is published `delay` after its change. With a delay, a first change before the decision
    whose news comes out in `(decided, deadline]` is recoverable, as routing reaches it, and one
    whose news misses the deadline is late.
    """
    lag = at_least("delay", delay, 0.0)
    verified = timeline.verified
    news_by = (timeline.decided - lag, timeline.deadline - lag, timeline.action)
    ends = np.broadcast_arrays(*(np.maximum(end, verified) for end in news_by))
    by_decision, by_deadline, safe = (
        no_change(hazards, verified, plain(end), since=timeline.written) for end in ends
    )
    return RiskSplit(*split_shares(by_decision, by_deadline, safe))


def split_shares(
    by_decision: FloatOrArray, by_deadline: FloatOrArray, safe: FloatOrArray
) -> tuple[FloatOrArray, FloatOrArray, FloatOrArray, FloatOrArray]:
    """Stale, recoverable, late and safe from P(no change) up to decision, deadline and action."""
    return 1 - by_decision, by_decision - by_deadline, by_deadline - safe, safe


def max_gap(hazards: Hazards, accuracy: float, freshness_gap: float = 0.0) -> float:
    """The longest execution gap at which `survival` still reaches `accuracy` without routing.

    Times count from a decision at 0 on facts verified `freshness_gap` earlier. Negative: freshness
    alone already misses the target. inf: the facts are too steady ever to miss it.
    """
    target = float(probability("accuracy", accuracy))
    fresh = float(at_least("freshness_gap", freshness_gap, 0.0))
    if target == 0:
        return math.inf
    facts = _facts(hazards)
    if all(isinstance(fact, Constant) for fact in facts):
        rate = math.fsum(fact.rate for fact in facts if isinstance(fact, Constant))
        return math.inf if rate == 0 else -math.log(target) / rate - fresh
    return _longest_age(facts, target, verified=-fresh) - fresh


def required_recall(
    hazards: Hazards,
    timeline: Timeline,
    accuracy: float,
    *,
    K: float = 1.0,
    S: float = 1.0,
    L: float = 0.0,
) -> RequiredRecall:
    """The routing recall among recoverable changes that `accuracy` needs.

    `K`, `S` and `L` are the judge's keep rate, its switch rate with and without decisive news.
    Solves A = safe K + recoverable (q S + (1 - q) L) + (stale + late) L for q; needs S > L.
    """
    target = float(probability("accuracy", accuracy))
    for name, rate in (("K", K), ("S", S), ("L", L)):
        probability(name, rate)
    if S <= L:
        raise BadInput("S", S, f"must be > L(={L:g}), or routing gains nothing")
    split = risk_split(hazards, timeline)
    if np.ndim(split.safe):
        raise BadInput("timeline", np.shape(split.safe), "must be one timeline, not an array")
    stale, recoverable, late, safe = (float(share) for share in split)
    missing = target - safe * K - (1 - safe) * L
    at_best = recoverable * (S - L)
    recall = missing / at_best if at_best > 0 else math.copysign(math.inf, missing or -1.0)
    if recall <= 1:
        return RequiredRecall(recall, None)
    losses: list[tuple[float, Literal["stale", "late", "judge"]]] = [
        (stale * (1 - L), "stale"),
        (late * (1 - L), "late"),
        (safe * (1 - K) + recoverable * (1 - S), "judge"),
    ]
    return RequiredRecall(recall, max(losses)[1])


def _facts(hazards: Hazards) -> Sequence[Hazard]:
    facts = hazards if isinstance(hazards, Sequence) else (hazards,)
    if not facts:
        raise BadInput("hazards", [], "must hold at least one hazard")
    return facts


def _longest_age(facts: Sequence[Hazard], target: float, *, verified: float) -> float:
    """The longest age of evidence verified at `verified` whose survival is >= `target`."""
    from scipy.optimize import brentq

    def margin(age: float) -> float:
        return float(no_change(facts, verified, verified + age)) - target

    enough = 1.0
    while margin(enough) > 0:
        enough *= 2.0
        if enough > _FOREVER:
            return math.inf
    return float(brentq(margin, 0.0, enough, xtol=1e-12, rtol=8.9e-16))


_FOREVER = 1e15
