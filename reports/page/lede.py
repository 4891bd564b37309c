"""The first words of the page: what the results say, worked out from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from reports.page.grid import total
from reports.page.numbers import count, percent, plural
from sim.experiments import FAMILY_ERROR

if TYPE_CHECKING:
    from sim.verification import Verification


class Lede(NamedTuple):
    """Two sentences."""

    verdict: str
    """How many claims stand, and which do not."""
    evidence: str
    """What they were held against."""


def lede(verifications: Sequence[Verification]) -> Lede:
    """What was found of all claims."""
    if not verifications:
        return Lede("No claim was verified.", "")
    passed = sum(found.passed for found in verifications)
    verdict = f"{passed} of {plural(len(verifications), 'claim')} proven, held and controlled"
    failures = [
        f"{found.claim.title.lower()} ({' and '.join(shortcomings(found))})"
        for found in verifications
        if not found.passed
    ]
    if failures:
        verdict += f"; {', '.join(failures)} {'is' if len(failures) == 1 else 'are'} not"
    return Lede(f"{verdict}.", _evidence(verifications))


def shortcomings(found: Verification) -> list[str]:
    """Why a claim does not stand; empty if it does."""
    rejected = total([found]).rejected
    outcomes = [outcome for _, outcome in found.played]
    reasons = {
        "a step of its proof was not established": not found.proof.proved,
        f"{plural(rejected, 'measured value')} rejected": rejected > 0,
        "an exact identity broke": not all(outcome.identities_hold for outcome in outcomes),
        "its control was not rejected": not found.control_rejected,
    }
    return [reason for reason, true in reasons.items() if true]


def _evidence(verifications: Sequence[Verification]) -> str:
    _, decisions, rows, rejected = total(verifications)
    return (
        f"Of {plural(rows, 'value')} measured on {plural(decisions, 'simulated decision')}, "
        f"{count(rejected) if rejected else 'none'} left what theory allows, at a family error of "
        f"{percent(FAMILY_ERROR)} a claim."
    )
