"""`bestbefore sweep`: the ceiling experiment over a grid, into a Parquet file."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reports.axes import ParseValue, parse_axis
from reports.cli.options import PATH, common, option_name, print_json
from reports.cli.sweep_progress import sweep_progress
from reports.units import parse_duration, parse_rate

if TYPE_CHECKING:
    import polars as pl

DECISIONS_PER_WORKER = 200_000_000
"""A second or two of work: less does not pay for the start of another process."""


class _Axis(click.ParamType[list[float]]):
    name = "axis"

    def __init__(self, parse: ParseValue) -> None:
        self.parse = parse

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[float]:
        del ctx
        return parse_axis(str(value), self.parse, field=option_name(param))


RATES, DURATIONS = _Axis(parse_rate), _Axis(parse_duration)


@click.command()
@click.option("--hazard", type=RATES, required=True, help="Rates of change, such as 0.02/d.")
@click.option("--gap", type=DURATIONS, required=True, help="Execution gaps, such as 36h.")
@click.option("--freshness", type=DURATIONS, default="0", help="Freshness gaps; 0 by default.")
@click.option("--window", type=DURATIONS, help="From decision to deadline; by default the gap.")
@click.option(
    "--decisions",
    type=click.IntRange(min=1),
    default=20_000,
    show_default=True,
    help="Decisions played out in each cell.",
)
@click.option(
    "--replicates", type=click.IntRange(min=1), default=1, show_default=True, help="Runs of a cell."
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Processes; by default what the work is worth, at most one a core.",
)
@click.option("-o", "--output", type=PATH, required=True, help="Parquet file to write.")
@click.option("--fresh", is_flag=True, help="Discard what is there; by default it is resumed.")
@click.option("--retry-failed", is_flag=True, help="Play cells again that have an error.")
@common
@click.pass_obj
def sweep(
    command: str,
    *,
    hazard: list[float],
    gap: list[float],
    freshness: list[float],
    window: list[float] | None,
    decisions: int,
    replicates: int,
    workers: int | None,
    output: Path,
    fresh: bool,
    retry_failed: bool,
    seed: int,
    quiet: bool,
    as_json: bool,
) -> int:
    """Sweep hazards and gaps: each cell's decisions against what theory predicts of it.

    An axis is a value, several between commas, or low:high:n[:log]:

    bestbefore sweep --hazard 0.001:0.1:20:log --gap 1:240:25 -o sweep.parquet

    Finished cells lie in OUTPUT.parts/ until all are: a sweep that was stopped, however it was,
    goes on when the same command is given again. Beside the output goes a manifest,
    OUTPUT.manifest.json: what was run, and how long it and each cell took. Exit code 1 if a cell
    failed; its row says why.
    """
    from reports.provenance import provenance
    from sim.ceiling_cell import ceiling_cell, ceiling_cells
    from sim.sweep import FailedCells, Interrupted
    from sim.sweep import sweep as sweep_cells

    cells = ceiling_cells(
        hazard=hazard, gap=gap, freshness=freshness, window=window, decisions=decisions
    )
    rows = len(cells) * replicates
    try:
        with sweep_progress(quiet=quiet) as follow, warnings.catch_warnings():
            warnings.simplefilter("ignore", FailedCells)  # said below
            frame = sweep_cells(
                cells,
                ceiling_cell,
                out=output,
                resume=not fresh,
                retry_failed=retry_failed,
                seed=seed,
                replicates=replicates,
                workers=workers or _worthwhile(rows * decisions),
                about=provenance(command, seed) | {"decisions": decisions},
                follow=follow,
            )
    except Interrupted as stopped:
        click.echo(f"bestbefore: {stopped}", err=True)
        return 130
    manifest = _read_manifest(output) | {"outside_limits": _outside_limits(frame)}
    if as_json:
        print_json(manifest)
    else:
        click.echo(
            f"{output}: {len(cells):,} cells x {replicates * decisions:,} decisions"
            f" in {manifest['seconds']:.1f} s; {manifest['outside_limits']} of {rows:,} exact 95 %"
            " limits miss the prediction (up to 5 % do by chance)"
        )
    return _say_failed(frame)


def _worthwhile(decisions: int) -> int:
    """How many workers the work is worth."""
    return max(1, min(len(os.sched_getaffinity(0)), decisions // DECISIONS_PER_WORKER))


def _outside_limits(frame: pl.DataFrame) -> int:
    if "predicted" not in frame.columns:  # every cell failed
        return 0
    return frame.filter(~frame["predicted"].is_between(frame["low"], frame["high"])).height


def _read_manifest(output: Path) -> dict[str, Any]:
    """The manifest, without what it says of each cell."""
    from sim.sweep_folder import manifest_path

    manifest = json.loads(manifest_path(output).read_text(encoding="utf-8"))
    return {name: value for name, value in manifest.items() if name != "cell_seconds"}


def _say_failed(frame: pl.DataFrame) -> int:
    """The exit code, and a line on cells that failed."""
    errors = frame["error"].drop_nulls()
    if not errors.len():
        return 0
    click.echo(
        f"bestbefore: {errors.len():,} of {frame.height:,} cells failed, the first with"
        f" {errors[0]} (--retry-failed plays them again)",
        err=True,
    )
    return 1
