"""A study run from end to end: streams found, pieces kept, the folder and its manifest written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from llm import Judge, WatchWriter
from llm.watch import without_conditions
from reports.model_calls import sources
from reports.provenance import versions
from reports.run_folder import SavedRun, check_stream, find_run, parameters_of, write_run
from reports.run_parts import Parts, parts_beside
from routers import Entry
from sim.profiles import PROFILES
from sim.questions import Question
from sim.runs import Run, encoder_named, questions_of
from sim.streams import STREAMS, Labelled, make_stream, manifest_of, read_labelled
from sim.study import Study, play
from theory.errors import BadInput


class Played(NamedTuple):
    """What came of a study."""

    saved: SavedRun
    """The whole run: what was there before, too."""
    measures: pl.DataFrame
    """`sim.runs.Run.measures` of the study's own episodes."""


def run_study(
    study: Study,
    *,
    command: str,
    name: str,
    judges: Mapping[str, Judge] | None = None,
    writer: WatchWriter | None = None,
    advance: Callable[[int], object] = lambda _: None,
) -> Played:
    """Play a study in memory; `judges`, `writer` and `advance` as in `sim.study.play`."""
    streams = _Streams(study)
    started = _now()
    encoder = encoder_named(study.encoder, study.routers)
    run = play(study, streams.find, judges=judges, writer=writer, encoder=encoder, advance=advance)
    parameters = parameters_of(study, encoder)
    manifest = _manifest(parameters, run, streams.told, [_entry(study, command, started)])
    return Played(SavedRun(name, manifest, run), run.measures())


def run_study_into(
    folder: Path,
    study: Study,
    *,
    command: str,
    judges: Mapping[str, Judge] | None = None,
    writer: WatchWriter | None = None,
    advance: Callable[[int], object] = lambda _: None,
) -> Played:
    """Play a study into a folder, adding to the run that may be there.

    What is done is kept beside the folder until all is: the same call after an interrupt goes on.
    """
    streams = _Streams(study)
    folder.resolve().parent.mkdir(parents=True, exist_ok=True)
    encoder = encoder_named(study.encoder, study.routers)
    parameters = parameters_of(study, encoder)
    found = find_run(folder, parameters)
    started = _now()
    with parts_beside(folder, parameters) as parts:

        def find(name: str, seed: int) -> Labelled:
            labelled = streams.find(name, seed)
            told = streams.told[-1]
            if found is not None:
                check_stream(found, told, folder)
            parts.streams[told["stream"], seed] = told["sha256"]
            return labelled

        have = None if found is None else found.run
        try:
            run = play(
                study,
                find,
                have=have,
                store=parts,
                judges=judges,
                writer=writer,
                encoder=encoder,
                advance=advance,
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_interrupted(parts)) from None
        before = [] if found is None else list(found.manifest["commands"])
        told = streams.told if found is None else [*found.manifest["streams"], *streams.told]
        if found is not None and encoder is None:
            parameters |= {"encoder": found.manifest["encoder"]}
        manifest = _manifest(parameters, run, told, [*before, _entry(study, command, started)])
        write_run(run, folder, manifest)
    saved = SavedRun(folder.resolve().name, manifest, run)
    return Played(saved, _asked_for(run, study, [told["stream"] for told in streams.told]))


def decisions_of_study(study: Study) -> list[Entry]:
    """All decisions of a study's streams, as watch writers are handed them."""
    streams = _Streams(study)
    found = [streams.find(*which).stream for which in product(study.streams, study.seeds)]
    return [without_conditions(entry) for stream in found for entry in stream.decisions]


def questions_of_study(study: Study, *, writer: str | WatchWriter | None = None) -> list[Question]:
    """What each judge of a study is asked; `writer` goes before the study's watch writer."""
    streams, asked = _Streams(study), []
    encoder = encoder_named(study.encoder, study.routers)
    for name, seed in product(study.streams, study.seeds):
        asked += questions_of(
            streams.find(name, seed),
            routers=study.routers,
            ks=study.ks,
            watch=writer or study.watch,
            encoder=encoder,
            asking=study.asking,
        )
    return asked


def _asked_for(run: Run, study: Study, streams: list[str]) -> pl.DataFrame:
    """The measures of a study's own episodes, in a run that holds others too."""
    own = {
        "stream": streams,
        "seed": study.seeds,
        "router": study.routers,
        "k": study.ks,
        "judge": study.judges,
    }
    return run.measures().filter(pl.col(name).is_in(list(values)) for name, values in own.items())


class _Streams:
    """Finds the streams of a study, and remembers what they were."""

    def __init__(self, study: Study) -> None:
        for stream in study.streams:
            if stream not in STREAMS and not Path(stream).is_dir():
                rule = f"must be a folder or one of {', '.join(STREAMS)}"
                raise BadInput("STREAM", stream, rule)
            if stream not in STREAMS and len(study.seeds) > 1:
                rule = "must be one: the stream of a folder is the same for every seed"
                raise BadInput("seeds", list(study.seeds), rule)
        self.told: list[dict[str, Any]] = []
        """Name, seed, hashes and manifest of each stream found, in order."""

    def find(self, name: str, seed: int) -> Labelled:
        """The stream of this name, made anew, or the one in this folder."""
        labelled = make_stream(name, seed=seed) if name in STREAMS else read_labelled(Path(name))
        made = manifest_of(labelled)
        self.told.append(
            {"stream": made["stream"], "seed": seed, "sha256": made["sha256"], "made": made}
        )
        return labelled


_Moment = tuple[str, float]


def _now() -> _Moment:
    """The date, and a clock to measure from."""
    return datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()


def _entry(study: Study, command: str, started: _Moment) -> dict[str, Any]:
    """What a manifest says of the command that has just run."""
    began, clock = started
    return {
        "command": command,
        "seeds": list(study.seeds),
        "versions": versions(),
        "began": began,
        "seconds": round(time.perf_counter() - clock, 3),
    }


def _manifest(
    parameters: dict[str, Any],
    run: Run,
    streams: Iterable[dict[str, Any]],
    commands: list[dict[str, Any]],
) -> dict[str, Any]:
    judges = run.decisions["judge"].unique(maintain_order=True)
    return {
        **parameters,
        "streams": list({(told["stream"], told["seed"]): told for told in streams}.values()),
        "watch": run.watch,
        "models": sources(run.answers),
        "simulated_judges": {j: PROFILES[j].source for j in judges if j in PROFILES},
        "commands": commands,
    }


def _interrupted(parts: Parts) -> str:
    if not parts.kept:
        return "interrupted, nothing written"
    return (
        f"interrupted; {parts.kept} finished episodes are kept in {parts.folder.name}, and the "
        "same command goes on from there"
    )
