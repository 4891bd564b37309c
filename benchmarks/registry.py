"""The benchmarks by name, each a module with `measure(*, full) -> list[Figure]`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from benchmarks.figure import Figure

BENCHMARKS = (
    "start_up",
    "report",
    "engine_draw_rate",
    "engine_memory",
    "world_against_processes",
    "engine_against_world",
    "ledger",
    "episode_rate",
    "sweep",
    "sweep_memory",
    "sweep_on_dask",
    "model_calls",
    "bm25",
    "bm25_million",
    "dense",
)
"""What runs where none is named."""
ON_REQUEST = ("reference",)
"""What runs only by its name: it takes minutes and writes a file that is kept with the code."""


def load(name: str) -> Callable[..., list[Figure]]:
    """The `measure` of a benchmark; a `ModuleNotFoundError` names a peer that is missing."""
    measure: Callable[..., list[Figure]] = import_module(f"benchmarks.{name}").measure
    return measure
