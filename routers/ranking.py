"""Which deliveries a router makes of its scores."""

from __future__ import annotations

from collections.abc import Mapping

from routers.delivery import Delivery
from theory.errors import BadInput


def best(notice_id: str, scores: Mapping[str, float], k: int) -> list[Delivery]:
    """The `k` entries with the highest scores > 0, best first, equal scores by entry id."""
    ranked = sorted((-score, entry) for entry, score in scores.items() if score > 0)
    return [Delivery(notice_id, entry, float(-negative)) for negative, entry in ranked[:k]]


def checked_k(k: int) -> int:
    """The number of deliveries a notice may have, checked; files keep 64 bits of it."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadInput("k", k, "must be a whole number >= 1")
    if k >= 2**63:
        raise BadInput("k", k, "must be below 2^63")
    return k
