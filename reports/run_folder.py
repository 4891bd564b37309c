"""A run as a folder: Parquet files of its frames and a manifest that says how it came about.

- `decisions.parquet`, `deliveries.parquet`, `calls.parquet`: the frames of `sim.runs.Run`; where
  judges ask models `answers.parquet` too, for natural streams `log.parquet`
- `manifest.json`: which `streams` (name, seed, hashes), how their judges were `asked`, who wrote
  watch conditions, which encoder dense routers read by, the `commands` that ran it, each with
  versions, date and duration, the SHA-256 of each file, and the `format` of it all

A folder that is there is added to where its streams and parameters agree, and refused otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.provenance import sha256
from routers.encoding.encoder import described
from sim.folders import check_folder, folder_written_whole
from theory.errors import BadInput

if TYPE_CHECKING:
    import polars as pl

    from routers.encoding.encoder import Encoder
    from sim.runs import Run
    from sim.study import Study

FORMAT = 1
"""The form of a run's folder; a higher one is from a newer version."""
MANIFEST = "manifest.json"
FRAMES = ("decisions", "deliveries", "calls")
OPTIONAL = ("answers", "log")
"""The frames that only some runs have: those whose judges ask models, those of natural streams."""
_WHAT = "a run"


@dataclass(frozen=True)
class SavedRun:
    """A run read back from its folder, or as it would be."""

    name: str
    """The folder's name."""
    manifest: Mapping[str, Any]
    """How it came about."""
    run: Run
    """Its frames."""


def parameters_of(study: Study, encoder: Encoder | None) -> dict[str, Any]:
    """What all episodes share: how judges are asked, the watch writer asked for, the encoder."""
    return {
        "asked": asdict(study.asking),
        "watch_writer": study.watch,
        "encoder": None if encoder is None else described(encoder),
    }


def find_run(folder: Path, parameters: Mapping[str, Any]) -> SavedRun | None:
    """The run that a study adds to: None where the folder is new or empty.

    Refuses, before any work is done, a folder that holds something else, or a run whose parameters
    are others; whether its streams are the same shows once they are made (`check_streams`).
    """
    check_folder(folder, _is_run, what=_WHAT)
    if not folder.is_dir() or not any(folder.iterdir()):
        return None
    found = read_run(folder)
    for name, value in parameters.items():
        there = found.manifest.get(name)
        no_dense_router = name == "encoder" and None in (value, there)
        if there != value and not no_dense_router:
            rule = "must be as in the run that is there, or the folder another one"
            raise BadInput(name, value, rule).at(folder / MANIFEST)
    return found


def check_comparable(before: SavedRun, after: SavedRun) -> None:
    """Refuse two runs whose streams of one name and seed are others: their decisions are, too."""
    for there, here in product(before.manifest["streams"], after.manifest["streams"]):
        same = (there["stream"], there["seed"]) == (here["stream"], here["seed"])
        if same and there["sha256"] != here["sha256"]:
            rule = f"must be the same in {before.name} and {after.name}: its SHA-256 are others"
            raise BadInput("stream", here["stream"], rule)


def check_stream(found: SavedRun, made: Mapping[str, Any], folder: Path) -> None:
    """Refuse a stream that is another than the one of its name and seed in the run."""
    for there in found.manifest["streams"]:
        same = (there["stream"], there["seed"]) == (made["stream"], made["seed"])
        if same and there["sha256"] != made["sha256"]:
            rule = "must be the stream of the run that is there: its SHA-256 are others"
            raise BadInput("stream", made["stream"], rule).at(folder / MANIFEST)


def write_run(run: Run, folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a run's folder, whole or not at all, in the place of one that was added to."""
    with folder_written_whole(folder, _is_run, what=_WHAT) as part:
        hashes = {}
        for name in (*FRAMES, *OPTIONAL):
            frame = getattr(run, name)
            if frame is not None:
                path = part / file_name(name)
                frame.write_parquet(path)
                hashes[path.name] = sha256(path)
        document = {"kind": "run", "format": FORMAT, **manifest, "sha256": hashes}
        (part / MANIFEST).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def read_run(folder: Path) -> SavedRun:
    """Read a run's folder; a `BadInput` names the file that is missing, foreign or not its own."""
    from sim.runs import Run

    manifest = _read_manifest(folder)
    hashes = manifest["sha256"]
    names = (*FRAMES, *(name for name in OPTIONAL if file_name(name) in hashes))
    frames: dict[str, Any] = {name: _read_frame(folder / file_name(name), hashes) for name in names}
    run = Run(**frames, watch=manifest.get("watch"))
    if run.decisions.is_empty():
        raise BadInput("decisions", "no rows", "must hold at least one decision").at(folder)
    return SavedRun(folder.resolve().name, manifest, run)


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    rule = "must be the folder of a run, with a manifest.json, as bestbefore run -o writes it"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput("run", str(folder), f"{rule}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput("run", "no JSON", rule).at(path) from error
    if not isinstance(manifest, dict) or manifest.get("kind") != "run":
        raise BadInput("kind", "another", rule).at(path)
    form = manifest.get("format")
    if form != FORMAT:
        rule = f"must be {FORMAT}: the run is from another version of bestbefore"
        raise BadInput("format", form, rule).at(path)
    try:
        _check_shape(manifest)
    except BadInput as error:
        raise error.at(path) from error
    return manifest


_SHAPE = {
    **dict.fromkeys(("sha256", "asked", "simulated_judges"), dict),
    **dict.fromkeys(("streams", "commands", "models"), list),
}
"""What a manifest holds."""
_SHAPES_OF_EACH: Mapping[str, Mapping[str, type]] = {
    "streams": {"stream": str, "seed": int, "sha256": dict, "made": dict},
    "commands": {"command": str},
    "models": {},
}
"""What each of a list is: an object that holds this."""


def _check_shape(manifest: Mapping[str, Any]) -> None:
    """Refuse a manifest whose fields are missing or of another kind."""
    _check_fields(manifest, _SHAPE)
    for name, shape in _SHAPES_OF_EACH.items():
        for each in manifest[name]:
            if not isinstance(each, dict):
                raise BadInput(name, each, "must hold objects, as the run wrote it")
            _check_fields(each, shape)


def _check_fields(found: Mapping[str, Any], shape: Mapping[str, type]) -> None:
    for name, kind in shape.items():
        if not isinstance(found.get(name), kind):
            rule = f"must be {_KINDS[kind]}, as the run wrote it"
            raise BadInput(name, found.get(name), rule)


_KINDS = {dict: "an object", list: "a list", str: "text", int: "a whole number"}


def _read_frame(path: Path, hashes: Mapping[str, str]) -> pl.DataFrame:
    import polars as pl

    if not path.is_file():
        raise BadInput(path.stem, path.name, "is missing: the run's folder is not whole").at(path)
    if sha256(path) != hashes.get(path.name):
        rule = "must be the file that manifest.json tells of: its SHA-256 is another"
        raise BadInput(path.stem, path.name, rule).at(path)
    return pl.read_parquet(path)


def file_name(frame: str) -> str:
    """The file of a frame."""
    return f"{frame}.parquet"


def _is_run(folder: Path) -> bool:
    """Whether the folder holds a run and nothing else."""
    needed = {MANIFEST, *map(file_name, FRAMES)}
    return {path.name for path in folder.iterdir()} - set(map(file_name, OPTIONAL)) == needed
