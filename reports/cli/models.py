"""The options of `bestbefore run` for judges that ask models, and how these are made ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
from click.core import ParameterSource

from reports.cli.options import PATH, print_json
from reports.cli.progress import progress
from theory.errors import BadInput

if TYPE_CHECKING:
    from llm import Judge, WatchWriter
    from llm.calls import Caller
    from llm.model import ModelJudge
    from llm.watch_model import WatchModel
    from reports.model_calls import Estimate
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


class Ready(NamedTuple):
    """The parts of a study that ask models, after they were asked."""

    judges: Mapping[str, Judge]
    """By name."""
    writer: WatchWriter | None
    """The watch writer, if it asks a model."""


def ready(context: click.Context, study: Study, folder: Path | None) -> Ready | None:
    """Ask what a study has to ask models; None where a dry run ends.

    What asking them will take is told beforehand, on standard error or as the dry run's result.
    """
    given = context.params
    names, watch = _models(study), _writer(study)
    if not names and watch is None:
        _refuse_options(context)
        return Ready({}, None)
    from reports.model_calls import estimate, estimate_writing
    from reports.study_run import decisions_of_study, questions_of_study

    with _caller(given, folder) as caller:
        judges = [_make(name, caller, given) for name in names]
        writer = None if watch is None else _make_writer(watch, caller, given)
        entries = decisions_of_study(study) if writer else []
        estimates = [estimate_writing(writer, entries)] if writer else []
        if given["dry_run"]:
            # What a model will write is not known yet: the rules stand in for it.
            asked = questions_of_study(study, writer=writer and _STAND_IN) if judges else []
            _tell_dry([*estimates, *(estimate(judge, asked) for judge in judges)], given)
            return None
        for model in (*(judge.model for judge in judges), *([writer.model] if writer else [])):
            caller.check(model)
        try:
            if writer:
                _tell(estimates, given)
                with progress(estimates[0].distinct, "watching", quiet=given["quiet"]) as advance:
                    writer.prepare(entries, advance=advance)
            if judges:
                asked = questions_of_study(study, writer=writer)
                estimates = [estimate(judge, asked) for judge in judges]
                _tell(estimates, given)
                total = sum(it.distinct for it in estimates)
                with progress(total, "asking", quiet=given["quiet"]) as advance:
                    for judge in judges:
                        judge.prepare(asked, advance=advance)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_interrupted(caller)) from None
    return Ready({judge.name: judge for judge in judges}, writer)


def show_prompt(context: click.Context, study: Study) -> None:
    """Print what the models of a study would be asked about a decision."""
    from llm.calls import Caller
    from reports.study_run import decisions_of_study, questions_of_study

    id_, as_json = context.params["show_prompt"], context.params["as_json"]
    names, watch = _models(study), _writer(study)
    if not names and watch is None:
        raise BadInput("--show-prompt", id_, "needs a judge that asks a model: provider/model")
    entries = [entry for entry in decisions_of_study(study) if entry.id == id_]
    if not entries:
        raise BadInput("--show-prompt", id_, "must be the id of a decision of the stream")
    caller = Caller()
    judges = [_make(name, caller, context.params) for name in names]
    writer = None if watch is None else _make_writer(watch, caller, context.params)
    asked = questions_of_study(study, writer=writer and _STAND_IN) if judges else []
    about = [it for it in asked if it.entry.id == id_]
    requests = [writer.request(entry) for entry in entries] if writer else []
    requests += [judge.request(*it) for judge in judges for it in about]
    if not requests:
        rule = "must be a decision that news reaches by one of the routers"
        raise BadInput("--show-prompt", id_, rule)
    distinct = dict.fromkeys(requests)
    if as_json:
        print_json([request.document() for request in distinct])
        return
    for request in distinct:
        click.echo(f"=== {request.model}, {request.prompt}")
        for message in request.messages:
            click.echo(f"--- {message.role}\n{message.text}")


_STAND_IN = "rules"
"""The watch writer in the place of one that asks a model, where no model is to be asked."""


def _tell(estimates: Sequence[Estimate], given: Mapping[str, Any]) -> None:
    if not given["quiet"]:
        click.echo("\n".join(map(str, estimates)), err=True)


def _tell_dry(estimates: Sequence[Estimate], given: Mapping[str, Any]) -> None:
    if given["as_json"]:
        print_json([it._asdict() for it in estimates])
    else:
        click.echo("\n".join(map(str, estimates)))


def _writer(study: Study) -> str | None:
    """The study's watch writer, if it asks a model."""
    from llm.calls.model_name import is_model_name

    return study.watch if study.watch is not None and is_model_name(study.watch) else None


def _make_writer(name: str, caller: Caller, given: Mapping[str, Any]) -> WatchModel:
    from llm.watch_writers import make_watch_model

    return make_watch_model(name, caller=caller, max_output=given["max_output"] or 0)


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
