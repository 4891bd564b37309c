"""Watch conditions of a stream: who writes them, and for which routers."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from llm import WatchWriter, make_watch_writer, with_conditions
from llm.watch import without_conditions
from llm.watch_model import WatchModel
from llm.watch_writers import DEFAULT_WATCH_WRITER
from sim.streams.stream import Stream

OWN = "own"
"""The writer of conditions that a stream brought along."""


class Watched(NamedTuple):
    """A stream whose decisions have watch conditions."""

    stream: Stream
    writer: str
    """Who wrote them: a watch writer by name, or `OWN`."""
    version: str | None
    """The writer's version; None of a stream's own."""


def reads_conditions(router: str) -> bool:
    """Whether the router of this name indexes watch conditions, which its name then says."""
    return "watch" in router.partition("+")[0].split("-")


def watched(stream: Stream, writer: str | WatchWriter | None = None) -> Watched:
    """The stream with conditions by this writer, ready or by name, in the place of any it brought.

    Without one a stream keeps what it brought, on whichever of its decisions that stands; one
    that brought nothing has them written by `DEFAULT_WATCH_WRITER`.
    """
    if writer is None and any(entry.watch for entry in stream.decisions):
        return Watched(stream, OWN, None)
    ready = make_watch_writer(writer) if isinstance(writer, str) else writer
    return _written(stream, ready or make_watch_writer(DEFAULT_WATCH_WRITER))


def _written(stream: Stream, writer: WatchWriter) -> Watched:
    if isinstance(writer, WatchModel):
        writer.prepare(without_conditions(entry) for entry in stream.decisions)
    decisions = tuple(with_conditions(entry, writer) for entry in stream.decisions)
    return Watched(replace(stream, decisions=decisions), writer.name, writer.version)
