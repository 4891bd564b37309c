"""A check for any hazard, ours or yours: its survival is one, and its samples follow it.

from theory.hazards.conformance import check_hazard

check_hazard(MyHazard(0.1), rng=np.random.default_rng(0))
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theory.arrays import Floats
from theory.hazards.base import Hazard
from theory.inference import binomial_p_value, holm

ERROR = 1e-4
"""Chance that a right hazard fails one call of `check_hazard`."""


class NonconformingHazard(AssertionError):
    """A hazard breaks a rule of the protocol; the message says which."""


def check_hazard(
    hazard: Hazard,
    *,
    rng: np.random.Generator,
    start: float = 0.0,
    lengths: Sequence[float] = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0),
    since: float | None = None,
    samples: int = 20_000,
) -> None:
    """Raise `NonconformingHazard` where `hazard` breaks the protocol.

    `lengths` are the intervals after `start` to look at, in the hazard's own unit of time; `since`
    is the fact's last change, for hazards with a memory. Of `samples` first changes, the shares
    beyond each length are held against the survival by exact tests under Holm.
    """
    if not isinstance(hazard, Hazard):
        raise NonconformingHazard(f"{type(hazard).__name__} lacks survival or sample")
    ends = start + np.sort(np.asarray(lengths, dtype=np.float64))
    survival = np.asarray(hazard.survival(start, ends, since=since))
    _check_survival(hazard, start, ends, survival, since)
    _check_samples(hazard, rng, start, ends, survival, since, samples)


def _check_survival(
    hazard: Hazard, start: float, ends: Floats, survival: Floats, since: float | None
) -> None:
    if survival.shape != ends.shape:
        raise NonconformingHazard(
            f"survival has shape {survival.shape}, not that of end {ends.shape}"
        )
    if not ((survival >= 0) & (survival <= 1)).all():
        raise NonconformingHazard(f"survival leaves [0, 1]: {survival}")
    if (np.diff(survival) > 0).any():
        raise NonconformingHazard(f"survival rises with the end: {survival}")
    if float(np.asarray(hazard.survival(start, start, since=since))) != 1.0:
        raise NonconformingHazard("survival over an empty interval is not 1")
    for end, together in zip(ends, survival, strict=True):
        if not np.isclose(
            float(np.asarray(hazard.survival(start, float(end), since=since))), together
        ):
            raise NonconformingHazard("survival of a scalar differs from that in an array")


def _check_samples(
    hazard: Hazard,
    rng: np.random.Generator,
    start: float,
    ends: Floats,
    survival: Floats,
    since: float | None,
    samples: int,
) -> None:
    starts = np.full(samples, start)
    ages = None if since is None else np.full(samples, since)
    first = hazard.sample(rng, starts, since=ages)
    if first.shape != starts.shape:
        raise NonconformingHazard(
            f"sample has shape {first.shape}, not that of start {starts.shape}"
        )
    if np.isnan(first).any() or (first < starts).any():
        raise NonconformingHazard("sample gives a change before its start, or NaN")
    beyond = np.count_nonzero(first[:, np.newaxis] > ends, axis=0)
    wrong = holm(binomial_p_value(beyond, samples, survival), ERROR)
    if wrong.any():
        end, share, predicted = (
            float(values[wrong][0]) for values in (ends, beyond / samples, survival)
        )
        raise NonconformingHazard(
            f"{share:.4f} of the samples lie beyond {end:g}, where survival says {predicted:.4f}"
        )
