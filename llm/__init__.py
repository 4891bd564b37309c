"""Judges, who keep or switch a decision, and watch writers, who say what news would stop it."""

from llm.judge import Judge
from llm.judges import JUDGES, judge_name, make_judge
from llm.watch import WatchWriter, with_conditions
from llm.watch_writers import WATCH_WRITERS, make_watch_writer

__all__ = [
    "JUDGES",
    "WATCH_WRITERS",
    "Judge",
    "WatchWriter",
    "judge_name",
    "make_judge",
    "make_watch_writer",
    "with_conditions",
]
