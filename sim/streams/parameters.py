"""What the makers of streams take alike: checked numbers, and a call for each decision made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from theory import BadInput

Advance: TypeAlias = Callable[[int], object]
"""Called with 1 for each decision that is ready."""


def ignore(_: int) -> None:
    """Nobody follows the progress."""


def whole(name: str, value: object, low: int) -> int:
    """A whole number, at least `low`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(name, value, "must be a whole number")
    if value < low:
        raise BadInput(name, value, f"must be >= {low}")
    return value
