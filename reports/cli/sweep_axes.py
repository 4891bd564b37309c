"""The axes of a sweep as options: one line for each parameter of a swept experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import click

from reports.axes import ParseValue, parse_axis
from reports.cli.options import Command, option_name
from reports.units import parse_count, parse_duration, parse_rate, parse_share
from theory.errors import BadInput


class _Axis(click.ParamType[list[float]]):
    name = "axis"

    def __init__(self, parse: ParseValue) -> None:
        self.parse = parse

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[float]:
        del ctx
        return parse_axis(str(value), self.parse, field=option_name(param))


class _Counts(_Axis):
    """An axis of whole numbers."""

    def __init__(self) -> None:
        super().__init__(parse_count)

    def convert(  # type: ignore[override]
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int]:
        numbers = super().convert(value, param, ctx)
        if not all(number.is_integer() for number in numbers):
            raise BadInput(option_name(param), value, "must be whole numbers")
        return [int(number) for number in numbers]


class _Names(click.ParamType[list[str]]):
    name = "names"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[str]:
        del param, ctx
        return [name.strip() for name in str(value).split(",")]


RATES, DURATIONS, SHARES = _Axis(parse_rate), _Axis(parse_duration), _Axis(parse_share)
COUNTS, NAMES = _Counts(), _Names()


class AxisOption(NamedTuple):
    """An option whose values are an axis."""

    flag: str
    name: str
    """The parameter of the cells."""
    kind: click.ParamType[Any]
    help: str


AXES = (
    AxisOption("--hazard", "hazard", RATES, "Rates of change, such as 0.02/d."),
    AxisOption("--gap", "gap", DURATIONS, "Execution gaps, such as 36h."),
    AxisOption("--freshness", "freshness", DURATIONS, "Freshness gaps."),
    AxisOption("--window", "window", DURATIONS, "From decision to deadline."),
    AxisOption("--decisions", "decisions", COUNTS, "Decisions played out in each cell."),
    AxisOption("--precision", "precision", SHARES, "Half-width at which a cell is done, as 0.002."),
    AxisOption("--alpha", "alpha", SHARES, "Error of its limits over all looks; 0.05 by default."),
    AxisOption("--most", "most", COUNTS, "Decisions at which it gives up; 1e7 by default."),
    AxisOption("--recall", "recall", SHARES, "factorisation: of recoverable changes."),
    AxisOption("--keep", "K", SHARES, "factorisation: K, the judge's keep rate."),
    AxisOption("--switch", "S", SHARES, "factorisation: S, its switch rate with decisive news."),
    AxisOption("--lapse", "L", SHARES, "factorisation: L, its switch rate without."),
    AxisOption("--stream", "stream", NAMES, "episode: streams, between commas."),
    AxisOption("--router", "router", NAMES, "episode: routers."),
    AxisOption("-k", "k", COUNTS, "episode: most deliveries of a notice."),
    AxisOption("--judge", "judge", NAMES, "episode: judges."),
    AxisOption("--lead", "lead", DURATIONS, "episode: how long before the deadline it is asked."),
    AxisOption("--service", "service", DURATIONS, "episode: simulated time of a call."),
    AxisOption("--slots", "slots", COUNTS, "episode: calls at once."),
    AxisOption("--open-decisions", "open_decisions", COUNTS, "episode: open at once, about."),
    AxisOption("--related", "related", COUNTS, "indirect: notices on what a decision needs."),
    AxisOption("--decoys", "decoys", COUNTS, "indirect: notices on what it does not need."),
    AxisOption("--facts", "facts", COUNTS, "natural: facts that a decision rests on, 1 to 3."),
    AxisOption("--share", "share", COUNTS, "natural: decisions that share facts at once."),
    AxisOption("--delay", "delay", DURATIONS, "natural: from a change to its notice."),
)


def axis_options(command: Command) -> Command:
    """An option for each axis, none of which is given by default."""
    for axis in reversed(AXES):
        command = click.option(axis.flag, axis.name, type=axis.kind, help=axis.help)(command)
    return command


def check_taken(axes: dict[str, Any], takes: Callable[[str], bool], experiment: str) -> None:
    """Refuse an axis that is none of the experiment's."""
    for axis in AXES:
        if axis.name in axes and not takes(axis.name):
            flags = ", ".join(it.flag for it in AXES if takes(it.name))
            raise click.UsageError(f"{axis.flag} is no axis of {experiment}, which takes {flags}")
