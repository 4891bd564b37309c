"""`bestbefore report`: every claim verified, every chart drawn, runs shown, one page written."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reports.cli.options import PATH, common, print_json
from reports.cli.progress import progress
from theory.errors import BadInput

if TYPE_CHECKING:
    from reports.page.shown_fit import ShownFit
    from reports.run_folder import SavedRun
    from sim.verification import Verification


@click.command()
@click.argument("paths", metavar="[RUN|SWEEP]...", type=PATH, nargs=-1)
@click.option("-o", "--output", type=PATH, required=True, help="HTML file to write.")
@click.option("--fit", "fit_file", type=PATH, help="Hazards to show: what `fit --json` printed.")
@click.option(
    "--compare",
    type=PATH,
    nargs=2,
    metavar="RUN_A RUN_B",
    help="Show what changed from one run to another.",
)
@click.option("--story", multiple=True, metavar="ID", help="A decision to tell, beside the others.")
@common
@click.pass_obj
def report(
    command: str,
    *,
    paths: tuple[Path, ...],
    compare: tuple[Path, Path] | None,
    story: tuple[str, ...],
    output: Path,
    fit_file: Path | None,
    seed: int,
    quiet: bool,
    as_json: bool,
) -> int:
    """Write one page that holds theory and measurement side by side; exit code 1 if a claim fails.

    All claims are verified and drawn, and hazards fitted to a simulated log unless a saved fit is
    given. RUN, a folder that `run` wrote, has a section for each of its streams; SWEEP, a Parquet
    file that `sweep` wrote, takes the place of the ceiling's own grid. Without a run the default
    experiment is run.
    """
    from reports.files import check_writable, written_whole
    from reports.fit_file import read_fit
    from reports.page import SECTIONS, Provenance, ShownFit, build_page
    from reports.page.lede import lede
    from reports.page.shown_natural import natural_among
    from reports.provenance import sha256
    from reports.run_folder import check_comparable, read_run
    from reports.simulated_fit import simulated_fit
    from reports.simulated_natural import simulated_natural
    from reports.stories import tell
    from reports.sweep_file import read_sweep
    from sim.verification import count_cells, verify

    started = time.perf_counter()
    check_writable(output)
    runs, sweep = _read_paths(paths)
    compared = None if compare is None else (read_run(compare[0]), read_run(compare[1]))
    if compared is not None:
        check_comparable(*compared)
    swept = None if sweep is None else read_sweep(sweep)
    fit = simulated_fit(seed) if fit_file is None else ShownFit(read_fit(fit_file))
    if not runs and compared is None:
        runs = [_default_run(command, seed, quiet=quiet)]
    stories = tell(runs[0], seed=seed, also=story) if runs else None
    with progress(count_cells(), "verifying", quiet=quiet) as advance:
        verifications = verify(seed=seed, advance=advance)
    natural = natural_among(runs) or simulated_natural(seed)
    provenance = Provenance.of_now(
        command=command,
        seed=seed,
        seconds=time.perf_counter() - started,
        hashes={path.name: sha256(path) for path in (sweep, fit_file) if path is not None},
    )
    streams = sum(saved.run.decisions["stream"].n_unique() for saved in runs)
    sections = SECTIONS + streams + (compared is not None)
    with progress(sections, "drawing", quiet=quiet) as advance:
        page = build_page(
            verifications,
            fit=fit,
            sweep=swept,
            natural=natural,
            runs=runs,
            compared=compared,
            stories=stories,
            provenance=provenance,
            advance=advance,
        )
    with written_whole(output) as part:
        part.write_text(page, encoding="utf-8")
    size, seconds = output.stat().st_size, time.perf_counter() - started
    if as_json:
        written = {"output": str(output), "bytes": size, "seconds": round(seconds, 3)}
        print_json({**_summary(verifications, fit, runs), "seed": seed, **written})
    else:
        click.echo(lede(verifications).verdict)
        click.echo(f"{output}: {size / 1e6:.1f} MB in {seconds:.1f} s")
    return 0 if all(found.passed for found in verifications) else 1


def _default_run(command: str, seed: int, *, quiet: bool) -> SavedRun:
    """The default experiment with this seed, in memory."""
    from reports.study_file import DEFAULT, read_study
    from reports.study_run import run_study

    study = replace(read_study(DEFAULT), seeds=[seed])
    with progress(study.episodes, "running", quiet=quiet) as advance:
        return run_study(study, command=command, name="default", advance=advance).saved


def _read_paths(paths: Sequence[Path]) -> tuple[list[SavedRun], Path | None]:
    """The runs among these paths, read, and the one sweep there may be."""
    from reports.run_folder import read_run

    sweeps = [path for path in paths if not path.is_dir()]
    if len(sweeps) > 1:
        names = ", ".join(map(str, sweeps))
        raise BadInput("SWEEP", names, "must be one file; a run is a folder")
    runs = [read_run(path) for path in paths if path.is_dir()]
    return runs, next(iter(sweeps), None)


def _summary(
    verifications: list[Verification], shown: ShownFit, runs: Sequence[SavedRun]
) -> dict[str, object]:
    from reports.page.lede import lede

    pooled = shown.saved.fit.pooled
    return {
        "verdict": lede(verifications).verdict,
        "claims": [
            {
                "id": found.claim.id,
                "proved": found.proof.proved,
                "held": found.held,
                "control_rejected": found.control_rejected,
            }
            for found in verifications
        ],
        "runs": [saved.name for saved in runs],
        "fit": {
            "source": shown.saved.source.file,
            "simulated": shown.simulated is not None,
            "rate": pooled.rate,
            "low": pooled.low,
            "high": pooled.high,
        },
    }
