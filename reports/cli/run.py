"""`bestbefore run`: streams through routers and judges on the simulated clock."""

from __future__ import annotations

import math
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from reports.cli.models import model_options, ready, show_prompt
from reports.cli.options import DURATION, PATH, common, print_json
from reports.cli.parts import parts, print_parts
from reports.cli.progress import progress
from theory.errors import BadInput

if TYPE_CHECKING:
    from sim.study import Study


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
@click.argument("stream", metavar="STREAM|DIR|EXPERIMENT.toml", required=False)
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
    help="Judges, between commas; a model is provider/model.",
)
@click.option(
    "--mode",
    "modes",
    type=_Names(),
    default="decide",
    show_default=True,
    help="How models are asked, between commas: decide, extract.",
)
@click.option(
    "-k", "ks", type=_Ks(), default="3", show_default=True, help="Most deliveries of a notice."
)
@click.option(
    "--watch",
    metavar="WRITER",
    help="Who writes the watch conditions, in the place of the stream's own; a model is"
    " provider/model  [default: rules where a router reads conditions and the stream has none]",
)
@click.option(
    "--encoder",
    metavar="DIR|NAME",
    help="The dense routers' sentence encoder: a folder, or a model of a hub  [default:"
    " all-MiniLM-L6-v2, from a package]",
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
@model_options
@common
@click.pass_context
def run(
    context: click.Context,
    /,
    *,
    stream: str | None,
    folder: Path | None,
    listing: bool,
    quiet: bool,
    as_json: bool,
    **_: object,
) -> None:
    """Run streams through routers and judges, and measure who was right.

    STREAM is direct, stress, stress2, indirect or natural, made with --seed at the paper's size;
    DIR is the folder of a stream, yours or from `bestbefore stream`; EXPERIMENT.toml says all of
    it, for several streams and seeds. Every router meets every judge, on the simulated clock and
    through the ledger of `bestbefore ledger`. A run that is in the folder is added to where its
    streams and parameters agree.
    """
    command = context.obj
    if listing:
        print_json(parts()) if as_json else print_parts()
        return
    if stream is None:
        rule = "must be a stream's name or folder, or the TOML file of an experiment"
        raise BadInput("STREAM", None, rule)
    from reports.model_calls import source_line
    from reports.study_run import run_study, run_study_into
    from sim.answers import WRITER

    study = _study(context, stream)
    if context.params["show_prompt"] is not None:
        show_prompt(context, study)
        return
    parts_ready = ready(context, study, folder)
    if parts_ready is None:
        return
    judges, writer = parts_ready
    with progress(study.episodes, "running", quiet=quiet) as advance:
        played = (
            run_study(
                study, command=command, name="", judges=judges, writer=writer, advance=advance
            )
            if folder is None
            else run_study_into(
                folder, study, command=command, judges=judges, writer=writer, advance=advance
            )
        )
    records = [_plain(row) for row in played.measures.iter_rows(named=True)]
    if as_json:
        print_json(records)
    else:
        _print_table(records)
        for source in played.saved.manifest["models"]:
            if source["judge"] in (*study.judges, WRITER.format(study.watch)):
                click.echo(source_line(source))


def _study(context: click.Context, stream: str) -> Study:
    """What the options ask for, or the experiment's file, which no option may contradict."""
    from reports.study_file import read_study
    from sim.asking import Asking
    from sim.study import Study

    given = context.params
    if stream.endswith(".toml"):
        for name in _ASKED:
            if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
                rule = f"must not be given beside {stream}, which says it"
                raise BadInput(name, given[name], rule)
        return read_study(Path(stream))
    return Study(
        streams=[stream],
        routers=given["routers"],
        judges=_judges(given["judges"], given["modes"]),
        ks=given["ks"],
        seeds=[given["seed"]],
        watch=given["watch"],
        encoder=given["encoder"],
        asking=Asking(lead=given["lead"], service=given["service"], slots=given["slots"]),
    )


def _judges(names: list[str], modes: list[str]) -> list[str]:
    """Each judge, and each model in every mode unless its name says one."""
    from llm import judge_name

    return list(dict.fromkeys(judge_name(name, mode=mode) for name in names for mode in modes))


_ASKED = (
    *("routers", "judges", "modes", "ks", "seed"),
    *("watch", "encoder", "lead", "service", "slots"),
)
"""The options that an experiment's file takes the place of."""


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    """A record that JSON can hold."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in record.items()
    }


_SHARES = ("accuracy", "recall", "switch", "lapse", "keep", "missed")
_AMOUNTS = {"traps": "{:.0f}", "delivered": "{:.2f}", "input_tokens": "{:.0f}"}


def _print_table(records: list[dict[str, Any]]) -> None:
    """A line an episode, in percent, below a line a stream; accuracy with its 95 % limits."""
    columns = [_cells(record) for record in records]
    head: tuple[str, ...] = (*_NAMES, "accuracy", "95 % limits", *_SHARES[1:], *_HEADS)
    if any(_asks(record) for record in records):
        head += ("invalid", "answered")
        columns = [(*cells, *_invalid(it)) for cells, it in zip(columns, records, strict=True)]
    if any(_filters(record) for record in records):
        head += ("dropped (decisive)",)
        columns = [
            (*cells, _dropped(record)) for cells, record in zip(columns, records, strict=True)
        ]
    widths = [max(map(len, column)) for column in zip(head, *columns, strict=True)]
    rows = zip(records, columns, strict=True)
    for (stream, seed), group in groupby(rows, lambda row: (row[0]["stream"], row[0]["seed"])):
        of_stream = list(group)
        by = next(
            (f"; watch conditions by {it['watch']}" for it, _ in of_stream if it["watch"]), ""
        )
        click.echo(f"{stream}: {of_stream[0][0]['decisions']:,} decisions, seed {seed}{by}")
        for cells in (head, *(cells for _, cells in of_stream)):
            click.echo(_line(cells, widths))


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    texts = [text.ljust(width) for text, width in zip(cells[:2], widths[:2], strict=True)]
    texts += [text.rjust(width) for text, width in zip(cells[2:], widths[2:], strict=True)]
    return "  ".join(texts).rstrip()


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


def _asks(record: dict[str, Any]) -> bool:
    """Whether the judge asks a model."""
    return "/" in record["judge"]


def _invalid(record: dict[str, Any]) -> tuple[str, str]:
    """The share of invalid answers, which count as keep, and the accuracy without them."""
    if not _asks(record):
        return "-", "-"
    return _percent(record["invalid"]), _percent(record["answered_accuracy"])


def _filters(record: dict[str, Any]) -> bool:
    return "+" in record["router"]


def _dropped(record: dict[str, Any]) -> str:
    """What a time filter dropped, and how much of that was decisive."""
    return f"{record['dropped']} ({record['wrongly_dropped']})" if _filters(record) else "-"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
