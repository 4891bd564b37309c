"""`bestbefore run`: a stream through routers and judges on the simulated clock."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reports.cli.options import DURATION, PATH, common, print_json
from reports.cli.parts import parts, print_parts
from reports.cli.progress import progress
from theory.errors import BadInput

if TYPE_CHECKING:
    from sim.streams import Labelled


class _Names(click.ParamType[list[str]]):
    """Names between commas, none given twice."""

    name = "names"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[str]:
        del param, ctx
        names = value if isinstance(value, list) else str(value).split(",")
        return list(dict.fromkeys(name.strip() for name in names))


class _Ks(_Names):
    """Whole numbers between commas."""

    name = "numbers"

    def convert(  # type: ignore[override]
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int]:
        numbers = []
        for text in super().convert(value, param, ctx):
            if not text.isdecimal() or int(text) < 1:
                raise BadInput("-k", text, "must be a whole number >= 1, or several between commas")
            numbers.append(int(text))
        return numbers


@click.command()
@click.argument("stream", metavar="STREAM|DIR", required=False)
@click.option(
    "--router",
    "routers",
    type=_Names(),
    default="none,name,bm25-text,bm25-dossier,broadcast,related,decisive",
    show_default=True,
    help="Routers, between commas.",
)
@click.option(
    "--judge",
    "judges",
    type=_Names(),
    default="rules",
    show_default=True,
    help="Judges, between commas.",
)
@click.option(
    "-k", "ks", type=_Ks(), default="3", show_default=True, help="Most deliveries of a notice."
)
@click.option(
    "--watch",
    metavar="WRITER",
    help="Who writes the watch conditions, in the place of the stream's own  [default: rules where"
    " a router reads conditions and the stream has none]",
)
@click.option(
    "--lead", type=DURATION, default="0h", help="How long before the deadline a judge is asked."
)
@click.option("--slots", type=click.IntRange(min=1), help="Calls at once; any number by default.")
@click.option(
    "--service", type=DURATION, default="0h", help="Simulated time of a call; none by default."
)
@click.option("-o", "--output", "folder", type=PATH, help="Folder for the run's Parquet files.")
@click.option("--list", "listing", is_flag=True, help="List what a run can be made of.")
@common
@click.pass_obj
def run(
    command: str,
    *,
    stream: str | None,
    routers: list[str],
    judges: list[str],
    ks: list[int],
    watch: str | None,
    lead: float,
    slots: int | None,
    service: float,
    folder: Path | None,
    listing: bool,
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Run a stream through routers and judges, and measure who was right.

    STREAM is direct, stress, stress2, indirect or natural, made with --seed at the paper's size;
    DIR is the folder of a stream, yours or from `bestbefore stream`. Every router meets every
    judge, on the simulated clock and through the ledger of `bestbefore ledger`.
    """
    if listing:
        print_json(parts()) if as_json else print_parts()
        return
    if stream is None:
        raise BadInput("STREAM", None, "must be the name of a stream or a stream's folder")
    from reports.provenance import provenance
    from reports.run_folder import check_run_folder, write_run
    from sim.asking import Asking
    from sim.runs import run as run_stream
    from sim.streams import manifest_of

    asking = Asking(lead=lead, service=service, slots=slots)
    labelled = _find(stream, seed)
    made = manifest_of(labelled)
    asked = {
        "stream": made["sha256"],
        "routers": routers,
        "judges": judges,
        "ks": ks,
        "watch": watch,
        "seed": seed,
        "lead": lead,
        "service": service,
        "slots": slots,
    }
    if folder is not None:
        folder.resolve().parent.mkdir(parents=True, exist_ok=True)
        check_run_folder(folder, asked)
    began, started = datetime.now(UTC), time.perf_counter()
    notices = len(labelled.stream.notices) * len(routers) * len(judges) * len(ks)
    with progress(notices, "running", quiet=quiet) as advance:
        played = run_stream(
            labelled,
            routers=routers,
            judges=judges,
            ks=ks,
            seed=seed,
            watch=watch,
            asking=asking,
            advance=advance,
        )
    records = [_plain(row) for row in played.measures().iter_rows(named=True)]
    if folder is not None:
        manifest = provenance(command, seed) | {
            "began": began.isoformat(timespec="seconds"),
            "seconds": round(time.perf_counter() - started, 3),
            "stream": made,
            "run": asked,
            "watch": played.watch,
            "simulated_judges": _sources(judges),
        }
        write_run(played, folder, manifest)
    if as_json:
        print_json(records)
    else:
        _print_table(records)


def _find(stream: str, seed: int) -> Labelled:
    """The stream of this name, made anew, or the one in this folder."""
    from sim.streams import STREAMS, make_stream, read_labelled

    if stream in STREAMS:
        return make_stream(stream, seed=seed)
    if Path(stream).is_dir():
        return read_labelled(Path(stream))
    raise BadInput("STREAM", stream, f"must be a folder or one of {', '.join(STREAMS)}")


def _sources(judges: list[str]) -> dict[str, str]:
    """Where the rates of the simulated judges come from."""
    from sim.profiles import PROFILES

    return {name: PROFILES[name].source for name in judges if name in PROFILES}


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    """A record that JSON can hold."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in record.items()
    }


_SHARES = ("accuracy", "recall", "switch", "lapse", "keep", "missed")
_AMOUNTS = {"traps": "{:.0f}", "delivered": "{:.2f}", "input_tokens": "{:.0f}"}


def _print_table(records: list[dict[str, Any]]) -> None:
    """A line an episode, in percent; accuracy with its 95 % limits."""
    first = records[0]
    by = next((f"; watch conditions by {it['watch']}" for it in records if it["watch"]), "")
    click.echo(f"{first['stream']}: {first['decisions']:,} decisions, seed {first['seed']}{by}")
    columns = [_cells(record) for record in records]
    head: tuple[str, ...] = (*_NAMES, "accuracy", "95 % limits", *_SHARES[1:], *_HEADS)
    if any(_filters(record) for record in records):
        head += ("dropped (decisive)",)
        columns = [
            (*cells, _dropped(record)) for cells, record in zip(columns, records, strict=True)
        ]
    widths = [max(map(len, column)) for column in zip(head, *columns, strict=True)]
    for row in (head, *columns):
        texts = [text.ljust(width) for text, width in zip(row[:2], widths[:2], strict=True)]
        texts += [text.rjust(width) for text, width in zip(row[2:], widths[2:], strict=True)]
        click.echo("  ".join(texts).rstrip())


_NAMES = ("router", "judge", "k")
_HEADS = ("traps", "delivered", "tokens")


def _cells(record: dict[str, Any]) -> tuple[str, ...]:
    shares = [_percent(record[name]) for name in _SHARES]
    low, high = (100 * record[f"accuracy_{end}"] for end in ("low", "high"))
    return (
        record["router"] + (" (gold)" if record["gold"] else ""),
        record["judge"] + (" (simulated)" if record["simulated"] else ""),
        str(record["k"]),
        shares[0],
        f"{low:.1f}-{high:.1f}",
        *shares[1:],
        *(form.format(record[name]) for name, form in _AMOUNTS.items()),
    )


def _filters(record: dict[str, Any]) -> bool:
    return "+" in record["router"]


def _dropped(record: dict[str, Any]) -> str:
    """What a time filter dropped, and how much of that was decisive."""
    return f"{record['dropped']} ({record['wrongly_dropped']})" if _filters(record) else "-"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
