"""`bestbefore fit`: the hazards of facts, from a log of their changes."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reports.cli.options import DURATION, PATH, common, print_json
from reports.cli.progress import progress
from theory.errors import BadInput

if TYPE_CHECKING:
    from reports.change_log import ChangeLog
    from reports.fit_file import LogKind
    from theory.estimate import History

GAPS = (1.0, 6.0, 24.0, 72.0, 168.0)
"""Hours: those of the ceilings, unless others are asked for."""


@click.command()
@click.argument("log", type=PATH)
@click.option("--start", metavar="COL", help="Outages: where each begins, which is the change.")
@click.option("--end", metavar="COL", help="Where each ends; an empty cell is one still open.")
@click.option("--spells", is_flag=True, help="Start to end is how long a value held instead.")
@click.option("--time", metavar="COL", help="Change times: when each change happened.")
@click.option("--fact", metavar="COL", help="Whose change it is; without it all are one fact's.")
@click.option(
    "--where",
    multiple=True,
    metavar="COND",
    help="Only rows with COL OP VALUE, OP one of = != < <= > >=; repeatable, all must hold. "
    "An empty cell equals only the empty value and is never < or >.",
)
@click.option("--from", "span_start", metavar="T", help="Start of the span observed.")
@click.option("--to", "span_end", metavar="T", help="Its end; by default first and last time.")
@click.option(
    "--gap",
    "gaps",
    type=DURATION,
    multiple=True,
    default=GAPS,
    help="Execution gap to give the ceiling for, such as 36h or 3d; repeatable. By default "
    "1h, 6h, 24h, 72h and 168h.",
)
@common
def fit(
    log: Path,
    start: str | None,
    end: str | None,
    spells: bool,
    time: str | None,
    fact: str | None,
    where: tuple[str, ...],
    span_start: str | None,
    span_end: str | None,
    gaps: tuple[float, ...],
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Estimate how fast the facts of LOG change, and whether at a constant rate.

    LOG is a CSV or Parquet file. Times are ISO 8601, with an offset or without one, or plain
    numbers of hours.
    """
    import numpy as np

    from reports.change_log import read_change_log
    from reports.filters import parse_condition
    from reports.fit_file import SavedFit, Source, fit_document
    from reports.fit_table import fit_lines
    from reports.provenance import sha256
    from theory.estimate import fit, gap_ceilings

    kind, times = _kind(start, end, time, spells=spells)
    for gap in gaps:
        if not 0 < gap <= 1e12:
            raise BadInput("--gap", gap, "must be > 0 and at most 1e12 hours")
    conditions = [parse_condition(text) for text in where]
    with progress(4, "fitting", quiet=quiet) as advance:
        changes = read_change_log(log, times, optional=["end"], fact=fact, where=conditions)
        advance(1)
        digest = sha256(log)
        advance(1)
        history = _history(kind, changes, span_start, span_end)
        advance(1)
        fitted = fit(history, np.random.default_rng(seed))
        advance(1)
    columns = {name: column for name, (_, column) in times.items()}
    saved = SavedFit(
        fit=fitted,
        ceilings=gap_ceilings(fitted.pooled, gaps),
        source=Source(
            file=log.name,
            sha256=digest,
            kind=kind,
            columns=columns | ({} if fact is None else {"fact": fact}),
            where=tuple(condition.text for condition in conditions),
            rows=changes.rows,
            left_out=changes.rows - changes.frame.height,
            times=changes.kind,
        ),
        seed=seed,
        version=version("bestbefore"),
    )
    if as_json:
        print_json(fit_document(saved))
    else:
        click.echo("\n".join(fit_lines(saved)))


def _kind(
    start: str | None, end: str | None, time: str | None, *, spells: bool
) -> tuple[LogKind, dict[str, tuple[str, str]]]:
    """What the options say of the log, and its columns of times by name."""
    if time is not None:
        for option, given in (("--start", start), ("--end", end), ("--spells", spells or None)):
            if given is not None:
                raise BadInput(option, given, "must not be given with --time")
        return "change times", {"time": ("--time", time)}
    if start is None or end is None:
        missing = "--end" if end is None and start is not None else "--start"
        raise BadInput(missing, "", "must be given: --start and --end, or --time, name columns")
    return "spells" if spells else "outages", {"start": ("--start", start), "end": ("--end", end)}


def _history(
    kind: LogKind, changes: ChangeLog, span_start: str | None, span_end: str | None
) -> History:
    from reports.times import read_time
    from theory import estimate

    build = {
        "change times": estimate.change_times,
        "outages": estimate.outages,
        "spells": estimate.spells,
    }[kind]
    first, last = (
        None if text is None else read_time(text, changes.kind, field=option)
        for option, text in (("--from", span_start), ("--to", span_end))
    )
    try:
        return build(changes.frame, span_start=first, span_end=last)
    except BadInput as error:
        if error.field not in ("span_start", "span_end"):
            raise
        if span_start is not None and span_end is not None:
            raise BadInput("--from", span_start, f"must be before --to(={span_end})") from error
        option, text = ("--from", span_start) if span_end is None else ("--to", span_end)
        raise BadInput(option, text, "must leave some of the log within the span") from error
