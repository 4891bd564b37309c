"""Streams of decisions and news, with exact labels: one file a stream, one line each below."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace

from sim.cells import cell_rng
from sim.streams.collector import collector_paused
from sim.streams.direct import direct
from sim.streams.folder import (
    manifest_of,
    read_gold,
    read_labelled,
    read_stream,
    write_stream,
)
from sim.streams.indirect import indirect
from sim.streams.labels import disagreements, happened, read_labels
from sim.streams.natural import natural
from sim.streams.parameters import Advance, ignore
from sim.streams.stream import (
    CAUSES,
    RELATED,
    RELATIONS,
    Concern,
    Gold,
    Labelled,
    Log,
    Relation,
    Stream,
    Truth,
)
from sim.streams.stress import stress
from sim.streams.stress2 import stress2
from theory import BadInput

STREAMS: dict[str, Callable[..., Labelled]] = {
    "direct": direct,
    "stress": stress,
    "stress2": stress2,
    "indirect": indirect,
    "natural": natural,
}
"""How each stream is made, called with a generator and the stream's own parameters."""


def make_stream(
    name: str, *, seed: int = 0, advance: Advance = ignore, **parameters: object
) -> Labelled:
    """The stream of this name: the same seed and parameters give the same bytes.

    `advance` is called with 1 after each decision.
    """
    known = parameters_of(name)
    for parameter, value in parameters.items():
        if parameter not in known:
            rule = f"is no parameter of {name}, which takes {', '.join(known)}"
            raise BadInput(parameter, value, rule)
    rng = cell_rng(seed, {"stream": name})
    with collector_paused():
        made = STREAMS[name](rng, **parameters, advance=advance)
    how = {"seed": seed, "parameters": {**known, **parameters}}
    return made._replace(stream=replace(made.stream, made=how))


def parameters_of(name: str) -> dict[str, object]:
    """The parameters of a stream with their defaults; None is the paper's share of decisions."""
    if name not in STREAMS:
        raise BadInput("stream", name, f"must be one of {', '.join(STREAMS)}")
    return {
        parameter.name: parameter.default
        for parameter in inspect.signature(STREAMS[name]).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "advance"
    }


__all__ = [
    "CAUSES",
    "RELATED",
    "RELATIONS",
    "STREAMS",
    "Concern",
    "Gold",
    "Labelled",
    "Log",
    "Relation",
    "Stream",
    "Truth",
    "direct",
    "disagreements",
    "happened",
    "indirect",
    "make_stream",
    "manifest_of",
    "natural",
    "parameters_of",
    "read_gold",
    "read_labelled",
    "read_labels",
    "read_stream",
    "stress",
    "stress2",
    "write_stream",
]
