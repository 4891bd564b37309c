"""What a judge will be asked: a stream through a router once, with nobody who answers.

No router hears a verdict, so what reaches a decision can be known before any judge is asked. That
lets the calls to a model go out together, beside the clock that waits for them at each deadline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from llm.judge import NO_NEWS
from routers import Entry, Notice, Router, Verdict
from sim.asking import Asking
from sim.episode import episode
from sim.streams.stream import Stream


class Question(NamedTuple):
    """A decision and the notices that its judge is to read, in order of publication."""

    entry: Entry
    notices: Sequence[Notice]


def questions(
    stream: Stream,
    router: Router,
    *,
    asking: Asking = Asking(),  # noqa: B008 (frozen)
    advance: Callable[[int], object] = lambda _: None,
) -> list[Question]:
    """What an episode with this router, empty, asks its judge, in the order of asking."""
    listening = _Listening()
    episode(stream, router, listening, asking=asking, advance=advance)
    return listening.heard


class _Listening:
    """A judge that notes what it is asked and keeps."""

    name = "listening"
    simulated = False
    gold = False

    def __init__(self) -> None:
        self.heard: list[Question] = []

    def judge(self, entry: Entry, notices: Sequence[Notice]) -> Verdict:
        self.heard.append(Question(entry, notices))
        return NO_NEWS
