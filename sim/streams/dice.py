"""Single draws from a generator, taken in blocks: a draw at a time costs ten times as much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")
BLOCK = 4096
"""Uniform draws taken at once."""


class Dice:
    """Picks, chances and whole numbers, in the order in which they are asked for."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self._draws = self._blocks()

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return next(self._draws) < probability

    def below(self, count: int) -> int:
        """A whole number in `[0, count)`."""
        return int(next(self._draws) * count)

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items, each as likely."""
        return items[int(next(self._draws) * len(items))]

    def step(self, low: int, high: int, step: int) -> int:
        """One of `low, low + step, ...` up to `high`, which counts if it is met."""
        return low + step * int(next(self._draws) * ((high - low) // step + 1))

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in a random order, each as likely (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def _blocks(self) -> Iterator[float]:
        while True:
            yield from self.rng.random(BLOCK).tolist()
