"""`bestbefore stream`: decisions and news with exact labels, as a folder of JSON Lines."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reports.cli.options import DURATION, PATH, RATE, common, print_json
from reports.cli.progress import progress

if TYPE_CHECKING:
    from sim.streams import Gold


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "-o", "--output", "folder", type=PATH, required=True, help="Folder: new, empty or a stream."
)
@click.option("--decisions", type=int, help="How many; the paper's number by default.")
@click.option("--standing", type=int, help="How many should stand.")
@click.option("--traps", type=int, help="Decisions that mention another's place.")
@click.option("--related", type=int, help="indirect: notices on what a decision needs, each.")
@click.option("--decoys", type=int, help="indirect: notices on what it does not need, each.")
@click.option("--open-decisions", type=int, help="Decisions open at once, about.")
@click.option("--window", type=DURATION, help="Mean revision window, such as 84h.")
@click.option("--hazard", type=RATE, help="natural: mean hazard of a fact, such as 0.07/d.")
@click.option("--facts", type=int, help="natural: facts that a decision rests on, 1 to 3.")
@click.option("--share", type=int, help="natural: decisions that share facts at once.")
@click.option("--delay", type=DURATION, help="natural: from a change to its notice.")
@click.option("--freshness", type=DURATION, help="natural: mean freshness gap.")
@click.option("--exclude-stale", is_flag=True, default=None, help="natural: leave out stale ones.")
@common
def stream(
    name: str, folder: Path, seed: int, quiet: bool, as_json: bool, **parameters: object
) -> None:
    """Make the stream NAME: direct, stress, stress2, indirect or natural.

    Without options the numbers are the paper's. The folder holds decisions, notices, gold and a
    manifest; the same seed gives the same bytes.
    """
    from sim.streams import make_stream, parameters_of, write_stream
    from sim.streams.folder import check_output

    check_output(folder)
    given = {parameter: value for parameter, value in parameters.items() if value is not None}
    decisions = given.get("decisions", parameters_of(name)["decisions"])
    with progress(int(str(decisions)), f"making {name}", quiet=quiet) as advance:
        made = make_stream(name, seed=seed, advance=advance, **given)
        manifest = write_stream(made, folder)
    summary: dict[str, Any] = {"folder": str(folder), **manifest, **_counts(made.gold)}
    if as_json:
        print_json(summary)
        return
    click.echo(
        f"{folder}: {summary['decisions']:,} decisions, of which {summary['standing']:,} stand; "
        f"{summary['notices']:,} notices, {summary['traps']:,} of them traps"
    )
    if summary["open_median"] is not None:
        click.echo(
            f"medians: {summary['open_median']:,.0f} decisions open at a notice, "
            f"{summary['window_notices_median']:,.0f} notices in a revision window"
        )


def _counts(gold: Gold) -> dict[str, int]:
    """What the gold counts, for whoever makes the stream; its manifest does not say."""
    truths = gold.truths.values()
    changing = sum(truth.label for truth in truths)
    relations = Counter(each.relation for truth in truths for each in truth.notices)
    return {
        "standing": len(truths) - changing,
        "changing": changing,
        "decisive": relations["decisive"],
        "traps": relations["irrelevant-role"],
    }
