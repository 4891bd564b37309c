"""`bestbefore verify`: prove every claim, hold it against simulation, and try its control."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reports.cli.options import common, print_json
from reports.cli.progress import progress

if TYPE_CHECKING:
    from sim.engines import EngineName
    from sim.experiments import Outcome
    from sim.verification import Verification


@click.command()
@click.option("--claim", "claims", multiple=True, metavar="ID", help="Only this one; repeatable.")
@click.option(
    "--engine",
    type=click.Choice(["numpy", "simpy"]),
    default="numpy",
    show_default=True,
    help="The vectorised engine, or the SimPy world on one cell in 25.",
)
@common
def verify(
    claims: tuple[str, ...], engine: EngineName, seed: int, quiet: bool, as_json: bool
) -> int:
    """Prove the claims and hold them against simulation; exit code 1 if one fails."""
    from sim.verification import count_cells, verify

    cells = count_cells(claims, engine=engine)
    with progress(cells, "verifying", quiet=quiet) as advance:
        verifications = verify(claims, seed=seed, engine=engine, advance=advance)
    if as_json:
        print_json([_record(verification) for verification in verifications])
    else:
        _print_table(verifications)
    return 0 if all(verification.passed for verification in verifications) else 1


def _record(found: Verification) -> dict[str, object]:
    further = found.in_episodes
    return {
        "id": found.claim.id,
        "proved": found.proof.proved,
        "held": found.held,
        "control_rejected": found.control_rejected,
        "steps": [{"says": s.says, "by": s.by, "holds": s.holds} for s in found.proof.steps],
        "assumptions": list(found.claim.assumptions),
        **_figures(found.outcome),
        "in_episodes": None
        if further is None
        else {
            "held": further[1].held,
            "control_rejected": further[1].control_rejected,
            "measures": further[0].measures,
            "control": further[0].control,
            **_figures(further[1]),
        },
    }


def _figures(outcome: Outcome) -> dict[str, object]:
    """What one experiment found."""
    return {
        "engine": outcome.engine,
        "seed": outcome.seed,
        "decisions": outcome.decisions,
        "rows": outcome.cells.height,
        "rejected": int(outcome.cells["rejected"].sum()),
        "smallest_p_value": outcome.cells["p_value"].min(),
        "control_rejections": outcome.control_rejections,
        "headline": outcome.headline,
    }


def _print_table(verifications: list[Verification]) -> None:
    click.echo(
        "claim              proved  held  control rejected  predicted  measured (99 % limits)"
    )
    for found in verifications:
        _print_line(found.claim.id, "yes" if found.proof.proved else "NO", found.outcome)
        if found.in_episodes is not None:
            _print_line("  in episodes", "", found.in_episodes[1])


def _print_line(name: str, proved: str, outcome: Outcome) -> None:
    row = outcome.headline
    held, rejected = ("yes" if ok else "NO" for ok in (outcome.held, outcome.control_rejected))
    click.echo(
        f"{name:18} {proved:>6}  {held:>4}  {rejected:>16}  "
        f"{row['predicted']:9.4f}  {row['measured']:.4f} ({row['low']:.4f}-{row['high']:.4f})"
    )
