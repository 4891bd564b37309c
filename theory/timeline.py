"""The six timestamps of a decision and the gaps between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from theory.arrays import FloatOrArray, Floats, as_doubles, finite, plain
from theory.errors import BadInput

_NAMES = ("written", "verified", "decided", "deadline", "action", "outcome")
_TO_DEADLINE = _NAMES.index("decided")
"""The step that must be longer than 0: a decision can be revised for some time."""


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
        given = {name: as_doubles(name, getattr(self, name)) for name in _NAMES}
        shapes = {time.shape for time in given.values() if time.shape}
        if len(shapes) > 1:
            raise BadInput("timeline", sorted(shapes), "must hold scalars and arrays of one shape")
        for name, time in given.items():
            object.__setattr__(self, name, plain(time))
        _check_order(np.array(np.broadcast_arrays(*given.values())))

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


def _check_order(times: Floats) -> None:
    """Refuse times, one row a timestamp, that are not finite or not in order."""
    if not np.isfinite(times).all():
        row, *element = np.argwhere(~np.isfinite(times))[0]
        raise BadInput(_NAMES[row], float(times[row, *element]), "must be finite")
    gaps = np.diff(times, axis=0)
    wrong = gaps < 0
    wrong[_TO_DEADLINE] |= gaps[_TO_DEADLINE] == 0
    if wrong.any():
        row, *element = np.argwhere(wrong)[0]
        earlier, later = (float(times[at, *element]) for at in (row, row + 1))
        relation = "after" if row == _TO_DEADLINE else "at or after"
        raise BadInput(_NAMES[row + 1], later, f"must be {relation} {_NAMES[row]}(={earlier:g})")
