"""`bestbefore sweep`: the ceiling experiment over a grid, into a Parquet file."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reports.axes import ParseValue, parse_axis
from reports.cli.options import PATH, common, option_name, print_json
from reports.cli.progress import progress
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
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Count, over a grid of hazards and gaps, how often no fact changes up to the action.

    An axis is a value, values between commas, or low:high:n[:log], with units as in 0.02/d and 36h:

        bestbefore sweep --hazard 0.001:0.1:20:log --gap 1:240:25 -o sweep.parquet

    Beside the output goes a manifest, OUTPUT.manifest.json: what was run, and how long it took.
    """
    from concurrent.futures.process import BrokenProcessPool

    from reports.files import check_writable
    from reports.provenance import provenance
    from sim.ceiling_cell import ceiling_cell, ceiling_cells
    from sim.sweep import sweep as sweep_cells

    for path in (output, _beside(output)):
        check_writable(path)
    cells = ceiling_cells(
        hazard=hazard, gap=gap, freshness=freshness, window=window, decisions=decisions
    )
    rows = len(cells) * replicates
    workers = workers or _worthwhile(rows * decisions)
    started = time.perf_counter()
    with progress(rows, "sweeping", quiet=quiet) as advance:
        try:
            frame = sweep_cells(
                cells,
                ceiling_cell,
                seed=seed,
                replicates=replicates,
                workers=workers,
                advance=advance,
            )
        except BrokenProcessPool as error:
            raise click.ClickException(f"a worker died, nothing written: {error}") from error
    manifest = provenance(command, seed) | {
        "output": str(output),
        "cells": len(cells),
        "replicates": replicates,
        "decisions": decisions,
        "outside_limits": _outside_limits(frame),
        "workers": workers,
        "seconds": round(time.perf_counter() - started, 3),
    }
    manifest["sha256"] = _write(frame, manifest, output)
    if as_json:
        print_json(manifest)
    else:
        click.echo(
            f"{output}: {len(cells):,} cells x {replicates * decisions:,} decisions"
            f" in {manifest['seconds']:.1f} s; {manifest['outside_limits']} of {rows:,} exact 95 %"
            " limits miss the prediction (up to 5 % do by chance)"
        )


def _worthwhile(decisions: int) -> int:
    """How many workers the work is worth."""
    return max(1, min(len(os.sched_getaffinity(0)), decisions // DECISIONS_PER_WORKER))


def _outside_limits(frame: pl.DataFrame) -> int:
    return frame.filter(~frame["predicted"].is_between(frame["low"], frame["high"])).height


def _beside(output: Path) -> Path:
    return output.with_name(f"{output.name}.manifest.json")


def _write(frame: pl.DataFrame, manifest: dict[str, Any], output: Path) -> str:
    """Write the frame and, with its SHA-256, the manifest beside it; the hash.

    The frame's file says seed and version but holds no time and no path: same seed, same bytes.
    """
    from reports.files import written_whole
    from reports.provenance import sha256

    metadata = {"seed": str(manifest["seed"]), "version": manifest["versions"]["bestbefore"]}
    with written_whole(output) as part, written_whole(_beside(output)) as manifest_part:
        frame.write_parquet(part, metadata=metadata)
        digest = sha256(part)
        document = json.dumps(manifest | {"sha256": digest}, indent=2, ensure_ascii=False)
        manifest_part.write_text(f"{document}\n", encoding="utf-8")
    return digest
