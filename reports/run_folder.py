"""A run as a folder: Parquet files of its frames and a manifest that says how it came about.

- `decisions.parquet`, `deliveries.parquet`, `calls.parquet`: the frames of `sim.runs.Run`
- `manifest.json`: what was run (`run`), on which stream (`stream`), by which command, seed and
  versions, when and for how long, and the SHA-256 of each file
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.provenance import sha256
from sim.folders import check_folder, folder_written_whole

if TYPE_CHECKING:
    from sim.runs import Run

MANIFEST = "manifest.json"
FRAMES = ("decisions", "deliveries", "calls")
FILES = {MANIFEST, *(f"{name}.parquet" for name in FRAMES)}
_WHAT = "this very run"


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
        for name in FRAMES:
            path = part / f"{name}.parquet"
            getattr(run, name).write_parquet(path)
            hashes[path.name] = sha256(path)
        document = {"kind": "run", **manifest, "sha256": hashes}
        (part / MANIFEST).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _is_run(folder: Path, asked: Mapping[str, Any]) -> bool:
    """Whether the folder holds the run that was asked for and nothing else."""
    if {path.name for path in folder.iterdir()} != FILES:
        return False
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(manifest, dict) and manifest.get("run") == json.loads(json.dumps(asked))
