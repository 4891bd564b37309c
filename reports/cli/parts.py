"""What a run can be made of, each part with a line from where it is written."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial
from importlib import import_module

import click


def parts() -> dict[str, dict[str, str]]:
    """The names of all parts by kind, each with what it is."""
    from llm import JUDGES, WATCH_WRITERS
    from llm.modes import MODES
    from routers import ROUTERS
    from routers.router import WRAPPERS
    from sim.oracles import ORACLES
    from sim.profiles import PROFILES
    from sim.streams import STREAMS

    return {
        "streams": _lines(STREAMS),
        "routers": {name: _router_line(name, make) for name, make in ROUTERS.items()},
        "oracles": {
            name: f"Knows gold: delivers what is {', '.join(relations)}, to whom it concerns."
            for name, relations in ORACLES.items()
        },
        "around a router or oracle": {f"+{name}": it for name, it in _lines(WRAPPERS).items()},
        "judges": _lines(JUDGES),
        "models": {
            f"provider/model+{mode.name}": _line(import_module(f"llm.modes.{mode.name}"))
            for mode in MODES.values()
        },
        "simulated judges": {name: profile.source for name, profile in PROFILES.items()},
        "watch writers": _lines(WATCH_WRITERS),
    }


def print_parts() -> None:
    """Show them, a paragraph a kind."""
    for kind, lines in parts().items():
        click.echo(f"{kind}:")
        for name, line in lines.items():
            click.echo(click.wrap_text(line, 100, f"  {name}: ", "    "))


def _lines(parts: Mapping[str, object]) -> dict[str, str]:
    return {name: _line(part) for name, part in parts.items()}


def _router_line(name: str, make: object) -> str:
    """The router's own line, and what of an entry it indexes where its name says so."""
    from routers.index_text import INDEX_TEXTS, ONE_BY_ONE

    index_text = (INDEX_TEXTS | ONE_BY_ONE).get(name.partition("-")[2])
    return _line(make) if index_text is None else f"{_line(make)} Index: {_line(index_text)}"


def _line(part: object) -> str:
    """The first line of a part's documentation."""
    made = part.func if isinstance(part, partial) else part
    return (inspect.getdoc(made) or "").partition("\n")[0].replace("`", "")
