"""What a judge is: it reads the notices that reached a decision and keeps or switches it.

A judge is handed the public part of a decision and of notices, nothing that holds gold. Whoever
writes one runs `llm.conformance` on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from routers import Entry, Notice, Verdict

NO_NEWS = Verdict(choice="keep", reason="no news")
"""The verdict on a decision that no notice reached: the choice stands, and nobody is called."""


class Judge(Protocol):
    """Answers on one decision at a time.

    What it answers depends on the entry and the notices alone: not on what it was asked before.
    """

    @property
    def name(self) -> str:
        """Its name in files and tables."""
        ...

    @property
    def simulated(self) -> bool:
        """Whether its answers are drawn at given rates rather than read from texts."""
        ...

    @property
    def gold(self) -> bool:
        """Whether it was built around what is true of decisions and notices."""
        ...

    def judge(self, entry: Entry, notices: Sequence[Notice]) -> Verdict:
        """Keep or switch, after reading the notices in order of publication; `NO_NEWS` of none."""
        ...
