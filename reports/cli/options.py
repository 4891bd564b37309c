"""Options that every command takes, parameter types with units, and how results are shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from reports.units import parse_duration, parse_rate

Command = TypeVar("Command", bound=Callable[..., Any])


class _Unit(click.ParamType[float]):
    def __init__(self, name: str, parse: Callable[..., float]) -> None:
        self.name = name
        self.parse = parse

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        del ctx
        return self.parse(str(value), field=option_name(param))


DURATION = _Unit("duration", parse_duration)
"""Hours, from text such as `36h` or `2d`."""
RATE = _Unit("rate", parse_rate)
"""Changes per hour, from text such as `0.02/d`."""
PATH = click.Path(path_type=Path)


def option_name(param: click.Parameter | None) -> str:
    """The option as the user typed it, for error lines."""
    return "value" if param is None else (param.opts[0] if param.opts else str(param.name))


def common(command: Command) -> Command:
    """`--seed`, `--quiet` and `--json`, which every command takes."""
    for decorate in (
        click.option(
            "--json", "as_json", is_flag=True, help="Print the result as one JSON document."
        ),
        click.option("--quiet", is_flag=True, help="Show no progress."),
        click.option(
            "--seed",
            type=click.IntRange(min=0, max=2**63 - 1),  # Parquet keeps 64 bits
            default=0,
            show_default=True,
            help="Random seed.",
        ),
    ):
        command = decorate(command)
    return command


def print_json(document: object) -> None:
    """One JSON document on standard output; numbers that JSON lacks become null."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
