"""A run as a folder: Parquet files of its frames and a manifest that says how it came about.

- `decisions.parquet`, `deliveries.parquet`, `calls.parquet`: the frames of `sim.runs.Run`; for a
  natural stream `log.parquet` too
- `manifest.json`: what was run (`run`), on which stream (`stream`), by which command, seed and
  versions, when and for how long, the SHA-256 of each file, and the `format` of it all
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.provenance import sha256
from sim.folders import check_folder, folder_written_whole
from theory.errors import BadInput

if TYPE_CHECKING:
    import polars as pl

    from sim.runs import Run

FORMAT = 1
"""The form of a run's folder; a higher one is from a newer version."""
MANIFEST = "manifest.json"
FRAMES = ("decisions", "deliveries", "calls")
LOG = "log"
"""The frame that only runs of natural streams have."""
_WHAT = "this very run"


@dataclass(frozen=True)
class SavedRun:
    """A run read back from its folder."""

    name: str
    """The folder's name."""
    manifest: Mapping[str, Any]
    """How it came about."""
    run: Run
    """Its frames."""


def check_run_folder(folder: Path, asked: Mapping[str, Any]) -> None:
    """Refuse, before any work is done, a folder that is neither new, empty nor this very run."""
    check_folder(folder, lambda found: _is_run(found, asked), what=_WHAT)


def write_run(run: Run, folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a run's folder, whole or not at all.

    The manifest's `run` says what was asked for: an existing run is replaced only by the same one.
    """
    asked = manifest["run"]
    with folder_written_whole(folder, lambda found: _is_run(found, asked), what=_WHAT) as part:
        hashes = {}
        for name in (*FRAMES, LOG):
            frame = getattr(run, name)
            if frame is not None:
                path = part / _file(name)
                frame.write_parquet(path)
                hashes[path.name] = sha256(path)
        document = {"kind": "run", "format": FORMAT, **manifest, "sha256": hashes}
        (part / MANIFEST).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def read_run(folder: Path) -> SavedRun:
    """Read a run's folder; a `BadInput` names the file that is missing, foreign or not its own."""
    from sim.runs import Run

    manifest = _read_manifest(folder)
    hashes = manifest.get("sha256", {})
    names = (*FRAMES, *((LOG,) if _file(LOG) in hashes else ()))
    run = Run(**{name: _read_frame(folder / _file(name), hashes) for name in names})
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
    return manifest


def _read_frame(path: Path, hashes: Mapping[str, str]) -> pl.DataFrame:
    import polars as pl

    if not path.is_file():
        raise BadInput(path.stem, path.name, "is missing: the run's folder is not whole").at(path)
    if sha256(path) != hashes.get(path.name):
        rule = "must be the file that manifest.json tells of: its SHA-256 is another"
        raise BadInput(path.stem, path.name, rule).at(path)
    return pl.read_parquet(path)


def _file(frame: str) -> str:
    return f"{frame}.parquet"


def _is_run(folder: Path, asked: Mapping[str, Any]) -> bool:
    """Whether the folder holds the run that was asked for and nothing else."""
    needed = {MANIFEST, *map(_file, FRAMES)}
    if {path.name for path in folder.iterdir()} - {_file(LOG)} != needed:
        return False
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(manifest, dict) and manifest.get("run") == json.loads(json.dumps(asked))
