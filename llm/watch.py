"""What a watch writer is: it writes down, when a decision is made, what news would stop it.

A watch writer is handed the public part of a decision, nothing that holds gold, and none of the
conditions that it may have already. Whoever writes one runs `llm.watch_conformance` on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from routers import Entry

MOST = 8
"""The most conditions of a decision."""


class WatchWriter(Protocol):
    """Writes watch conditions, one decision at a time, from the entry alone."""

    @property
    def name(self) -> str:
        """Its name in files and tables."""
        ...

    @property
    def version(self) -> str:
        """Another whenever it would write other conditions for some entry."""
        ...

    def write(self, entry: Entry) -> Sequence[str]:
        """Up to `MOST` sentences, each naming something whose change would stop the activity."""
        ...


def with_conditions(entry: Entry, writer: WatchWriter) -> Entry:
    """The entry with the writer's conditions in the place of any that it has.

    Its further field `watch_by` keeps who wrote them: a model by its name, with its prompt.
    """
    by = {"writer": writer.name, "version": writer.version}
    conditions = tuple(writer.write(without_conditions(entry)))
    return replace(entry, watch=conditions, extra={**entry.extra, "watch_by": by})


def without_conditions(entry: Entry) -> Entry:
    """What a writer is handed: the public part, and none of the conditions there may be."""
    return replace(entry.public(), watch=())
