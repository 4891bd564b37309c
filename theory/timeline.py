"""The six timestamps of a decision and the gaps between them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Self

import numpy as np

from theory.arrays import FloatOrArray, finite, plain
from theory.errors import BadInput


@dataclass(frozen=True)
class Timeline:
    """Six timestamps on one clock, scalars or arrays of one shape, in one unit (hours by custom).

    The order `written <= verified <= decided < deadline <= action <= outcome` holds in every
    element; a `BadInput` names the two timestamps that break it.
    """

    written: FloatOrArray
    """t_w, when the evidence was written: for facts that age, their last change."""
    verified: FloatOrArray
    """t_v, when the evidence was last found true."""
    decided: FloatOrArray
    """t_d, when the agent committed itself."""
    deadline: FloatOrArray
    """t_r, the last moment at which the decision can be revised."""
    action: FloatOrArray
    """t_a, when the decision is carried out."""
    outcome: FloatOrArray
    """t_e, when its outcome is seen."""

    def __post_init__(self) -> None:
        names = [field.name for field in fields(self)]
        times = [finite(name, getattr(self, name)) for name in names]
        shapes = {name: time.shape for name, time in zip(names, times, strict=True)}
        if len({shape for shape in shapes.values() if shape}) > 1:
            raise BadInput("timeline", shapes, "must hold scalars and arrays of one shape")
        for name, time in zip(names, times, strict=True):
            object.__setattr__(self, name, plain(time))
        for earlier, later in pairwise(names):
            _check_order(self, earlier, later, strictly=later == "deadline")

    @classmethod
    def from_gaps(
        cls,
        execution_gap: FloatOrArray,
        *,
        freshness_gap: FloatOrArray = 0.0,
        window: FloatOrArray | None = None,
        written_before: FloatOrArray = 0.0,
    ) -> Self:
        """A timeline decided at 0 from its gaps.

        `window` is `deadline - decided`, by default all of the execution gap; `written_before`
        is `verified - written`. The outcome is seen at the action.
        """
        action = finite("execution_gap", execution_gap)
        verified = -finite("freshness_gap", freshness_gap)
        return cls(
            written=plain(verified - finite("written_before", written_before)),
            verified=plain(verified),
            decided=0.0,
            deadline=plain(action if window is None else finite("window", window)),
            action=plain(action),
            outcome=plain(action),
        )

    @property
    def freshness_gap(self) -> FloatOrArray:
        """`decided - verified`: what better retrieval can shrink."""
        return self.decided - self.verified

    @property
    def execution_gap(self) -> FloatOrArray:
        """D_act, `action - decided`: what the task sets."""
        return self.action - self.decided

    @property
    def evidence_age(self) -> FloatOrArray:
        """`action - verified`, the sum of both gaps."""
        return self.action - self.verified


def _check_order(timeline: Timeline, earlier: str, later: str, *, strictly: bool) -> None:
    before, after = np.broadcast_arrays(getattr(timeline, earlier), getattr(timeline, later))
    wrong = before >= after if strictly else before > after
    if wrong.any():
        relation = "after" if strictly else "at or after"
        value, bound = after[wrong].flat[0], before[wrong].flat[0]
        raise BadInput(later, float(value), f"must be {relation} {earlier}(={float(bound):g})")
