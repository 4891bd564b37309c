"""Ways to ask a model about a decision, by name."""

from __future__ import annotations

from collections.abc import Mapping

from llm.modes.decide import DECIDE
from llm.modes.extract import EXTRACT
from llm.modes.mode import Mode

MODES: Mapping[str, Mode] = {mode.name: mode for mode in (DECIDE, EXTRACT)}
"""Whoever writes a mode adds it here."""

__all__ = ["MODES", "Mode"]
