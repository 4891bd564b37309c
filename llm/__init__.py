"""Judges, who read the news that reached a decision and keep or switch it."""

from llm.judge import Judge
from llm.judges import JUDGES, make_judge

__all__ = ["JUDGES", "Judge", "make_judge"]
