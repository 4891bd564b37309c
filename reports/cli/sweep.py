"""`bestbefore sweep`: an experiment over a grid of its parameters, into a Parquet file."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reports.cli.options import PATH, common, print_json
from reports.cli.sweep_axes import axis_options, check_taken
from reports.cli.sweep_progress import sweep_progress

if TYPE_CHECKING:
    import polars as pl

    from sim.cells import Parameters

EXPERIMENTS = ("ceiling", "factorisation", "episode")
"""The names of `sim.swept.SWEPT`, which is imported only when it is used."""


@click.command()
@click.option(
    "--experiment",
    type=click.Choice(EXPERIMENTS),
    default=EXPERIMENTS[0],
    show_default=True,
    help="What is played in each cell.",
)
@axis_options
@click.option(
    "--replicates", type=click.IntRange(min=1), default=1, show_default=True, help="Runs of a cell."
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Processes; by default what the work is worth, at most one a core.",
)
@click.option(
    "--scheduler", metavar="ADDR", help="Play on the Dask cluster of tcp://host:port instead."
)
@click.option("-o", "--output", type=PATH, required=True, help="Parquet file to write.")
@click.option("--fresh", is_flag=True, help="Discard what is there; by default it is resumed.")
@click.option("--retry-failed", is_flag=True, help="Play cells again that have an error.")
@common
@click.pass_obj
def sweep(
    command: str,
    /,
    *,
    experiment: str,
    replicates: int,
    workers: int | None,
    scheduler: str | None,
    output: Path,
    fresh: bool,
    retry_failed: bool,
    seed: int,
    quiet: bool,
    as_json: bool,
    **options: object,
) -> int:
    """Sweep an experiment over a grid of its parameters.

    An axis is a value, several between commas, or low:high:n[:log]; the grid is over those given:

    bestbefore sweep --hazard 0.001:0.1:20:log --gap 1:240:25 -o sweep.parquet

    ceiling counts decisions whose fact has not changed, factorisation those that a router and a
    judge get right, both against what theory predicts; episode runs streams through routers and
    judges by name. Routers and judges are compared on the same draws.

    With --precision a cell plays until the limits of its share are that narrow on each side; they
    hold however often it looks.

    Finished cells lie in OUTPUT.parts/ until all are: a sweep that was stopped, however it was,
    goes on when the same command is given again. Beside the output goes a manifest,
    OUTPUT.manifest.json: what was run, and how long it and each cell took. Exit code 1 if a cell
    failed; its row says why.
    """
    from reports.provenance import provenance
    from sim.amount import about
    from sim.cluster import dask_cluster
    from sim.sweep import FailedCells, Interrupted
    from sim.sweep import sweep as sweep_cells
    from sim.swept import ROUTED, SWEPT

    swept = SWEPT[experiment]
    axes = {name: values for name, values in options.items() if values is not None}
    check_taken(axes, swept.takes, experiment)
    cells = swept.cells(**axes)
    work = replicates * sum(map(about, cells))
    try:
        with (
            dask_cluster(scheduler) if scheduler else nullcontext() as cluster,
            sweep_progress(quiet=quiet) as follow,
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", FailedCells)  # said below
            frame = sweep_cells(
                cells,
                swept.function,
                out=output,
                resume=not fresh,
                retry_failed=retry_failed,
                seed=seed,
                replicates=replicates,
                executor=cluster.executor if cluster else None,
                workers=workers
                or (cluster.workers if cluster else _worthwhile(work // swept.per_worker)),
                common=ROUTED,
                about=provenance(command, seed)
                | {"experiment": experiment, "decisions": _each(cells)},
                follow=follow,
            )
    except Interrupted as stopped:
        click.echo(f"bestbefore: {stopped}", err=True)
        return 130
    manifest = _read_manifest(output) | _found(frame)
    if as_json:
        print_json(manifest)
    else:
        click.echo(_summary(output, manifest))
    return _say_failed(frame)


def _worthwhile(workers: int) -> int:
    """So many workers, as far as there are cores."""
    return max(1, min(len(os.sched_getaffinity(0)), workers))


def _each(cells: Sequence[Parameters]) -> int | None:
    """Decisions a cell, if that is one known number."""
    numbers = {cell.get("decisions") for cell in cells}
    number = numbers.pop() if len(numbers) == 1 else None
    return None if number is None else int(number)


def _found(frame: pl.DataFrame) -> dict[str, int]:
    """How many cells miss what was predicted of them, and how many the precision asked for."""
    found = {}
    if "predicted" in frame.columns:
        inside = frame["predicted"].is_between(frame["low"], frame["high"])
        found["outside_limits"] = frame.filter(~inside).height
    if "half_width" in frame.columns:
        found["decisions_played"] = int(frame["decisions"].sum())
        found["imprecise"] = frame.filter(frame["half_width"] > frame["precision"]).height
    return found


def _summary(output: Path, manifest: dict[str, Any]) -> str:
    says = f"{output}: {manifest['cells']:,} cells"
    if manifest["decisions"] is not None:
        says += f" x {manifest['replicates'] * manifest['decisions']:,} decisions"
    if "decisions_played" in manifest:
        says += f", {manifest['decisions_played']:,} decisions"
    says += f" in {manifest['seconds']:.1f} s"
    if manifest.get("imprecise"):
        says += f"; {manifest['imprecise']:,} gave up before they were precise"
    if "outside_limits" in manifest:
        kind = "limits" if "decisions_played" in manifest else "exact 95 % limits"
        says += (
            f"; {manifest['outside_limits']} of {manifest['cells'] * manifest['replicates']:,}"
            f" {kind} miss the prediction"
        )
        says += "" if "decisions_played" in manifest else " (up to 5 % do by chance)"
    return says


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
