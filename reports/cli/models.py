"""The options of `bestbefore run` for judges that ask models, and how these are made ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from reports.cli.options import PATH, print_json
from reports.cli.progress import progress
from theory.errors import BadInput

if TYPE_CHECKING:
    from llm import Judge
    from llm.calls import Caller
    from llm.model import ModelJudge
    from sim.study import Study

Command = TypeVar("Command", bound=Callable[..., Any])

_KEPT = Path("bestbefore-calls.jsonl")


def model_options(command: Command) -> Command:
    """What judges that ask models need."""
    for decorate in reversed(
        (
            click.option(
                "--calls",
                type=click.Choice(["record", "replay", "live"]),
                default="record",
                show_default=True,
                help="Keep answers of models and use those kept; use those alone; or keep none.",
            ),
            click.option(
                "--cassette",
                type=PATH,
                help=f"File of kept answers  [default: beside -o, else {_KEPT}]",
            ),
            click.option(
                "--at-once",
                type=click.IntRange(min=1),
                default=16,
                show_default=True,
                help="Calls in flight.",
            ),
            click.option("--max-calls", type=click.IntRange(min=0), help="Most calls to models."),
            click.option("--budget", type=float, help="US dollars that calls may cost."),
            click.option(
                "--max-output",
                type=click.IntRange(min=1),
                help="Most tokens of an answer, thoughts included.",
            ),
            click.option(
                "--dry-run", is_flag=True, help="Say what asking models would take, and stop."
            ),
            click.option(
                "--show-prompt",
                metavar="ID",
                help="Print what models would be asked about this decision, and stop.",
            ),
        )
    ):
        command = decorate(command)
    return command


_OWN = ("calls", "cassette", "at_once", "max_calls", "budget", "max_output", "dry_run")


def ready(context: click.Context, study: Study, folder: Path | None) -> Mapping[str, Judge] | None:
    """The judges of a study that ask models, after they were asked; None where a dry run ends.

    What asking them will take is told beforehand, on standard error or as the dry run's result.
    """
    given = context.params
    names = _models(study)
    if not names:
        _refuse_options(context)
        return {}
    from reports.model_calls import estimate
    from reports.study_run import questions_of_study

    with _caller(given, folder) as caller:
        judges = [_make(name, caller, given) for name in names]
        if not given["dry_run"]:
            for judge in judges:
                caller.check(judge.model)
        asked = questions_of_study(study)
        estimates = [estimate(judge, asked) for judge in judges]
        if given["dry_run"]:
            if given["as_json"]:
                print_json([it._asdict() for it in estimates])
            else:
                click.echo("\n".join(map(str, estimates)))
            return None
        if not given["quiet"]:
            click.echo("\n".join(map(str, estimates)), err=True)
        total = sum(it.distinct for it in estimates)
        with progress(total, "asking", quiet=given["quiet"]) as advance:
            try:
                for judge in judges:
                    judge.prepare(asked, advance=advance)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(_interrupted(caller)) from None
    return {judge.name: judge for judge in judges}


def show_prompt(context: click.Context, study: Study) -> None:
    """Print what the judges of a study that ask models would be asked about a decision."""
    from reports.study_run import questions_of_study

    id_, as_json = context.params["show_prompt"], context.params["as_json"]
    names = _models(study)
    if not names:
        raise BadInput("--show-prompt", id_, "needs a judge that asks a model: provider/model")
    asked = [it for it in questions_of_study(study, decision=id_) if it.entry.id == id_]
    if not asked:
        rule = "must be a decision that news reaches by one of the routers"
        raise BadInput("--show-prompt", id_, rule)
    from llm.calls import Caller

    caller = Caller()
    judges = [_make(name, caller, context.params) for name in names]
    requests = dict.fromkeys(judge.request(*it) for judge in judges for it in asked)
    if as_json:
        print_json([request.document() for request in requests])
        return
    for request in requests:
        click.echo(f"=== {request.model}, {request.prompt}")
        for message in request.messages:
            click.echo(f"--- {message.role}\n{message.text}")


def _models(study: Study) -> list[str]:
    from llm.calls.model_name import is_model_name

    return [name for name in study.judges if is_model_name(name)]


def _make(name: str, caller: Caller, given: Mapping[str, Any]) -> ModelJudge:
    from llm.judges import make_model_judge

    return make_model_judge(name, caller=caller, max_output=given["max_output"] or 0)


def _caller(given: Mapping[str, Any], folder: Path | None) -> Caller:
    from llm.calls import Caller, Cassette, Limits

    cassette = None
    if given["calls"] != "live":
        beside = _KEPT if folder is None else folder.with_name(f"{folder.name}.calls.jsonl")
        path = given["cassette"] or beside
        if given["cassette"] is None:
            path.resolve().parent.mkdir(parents=True, exist_ok=True)
        # A dry run reads what is there and makes no file.
        there = path.exists() or given["calls"] == "replay" or not given["dry_run"]
        reading = given["dry_run"] or given["calls"] == "replay"
        cassette = Cassette(path, mode="replay" if reading else "record") if there else None
    elif given["cassette"] is not None:
        raise BadInput("--cassette", str(given["cassette"]), "must not be given with --calls live")
    limits = Limits(calls=given["max_calls"], budget=given["budget"])
    return Caller(cassette=cassette, limits=limits, at_once=given["at_once"])


def _refuse_options(context: click.Context) -> None:
    for name in _OWN:
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            option = f"--{name.replace('_', '-')}"
            rule = "needs a judge that asks a model, such as --judge openai/gpt-5.1"
            raise BadInput(option, context.params[name], rule)


def _interrupted(caller: Caller) -> str:
    if caller.cassette is None:
        return "interrupted, nothing written"
    kept: Sequence[str] = [f"{caller.cassette.added:,}", str(caller.cassette.path)]
    return "interrupted; {} new answers are kept in {}".format(*kept)
