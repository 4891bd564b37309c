"""The watch writers by name."""

from __future__ import annotations

from collections.abc import Callable

from llm.watch import WatchWriter
from llm.watch_everything import WatchEverything
from llm.watch_rules import WatchRules
from theory.errors import BadInput

DEFAULT_WATCH_WRITER = "rules"
WATCH_WRITERS: dict[str, Callable[[], WatchWriter]] = {
    "rules": WatchRules,
    "everything": WatchEverything,
}
"""How each watch writer is made; whoever writes one adds a line."""


def make_watch_writer(name: str) -> WatchWriter:
    """The watch writer of this name."""
    if name not in WATCH_WRITERS:
        raise BadInput("watch", name, f"must be one of {', '.join(WATCH_WRITERS)}")
    return WATCH_WRITERS[name]()
