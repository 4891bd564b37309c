"""Pieces of a study, kept beside its run's folder until all are done.

`OUT.parts/` holds a folder a piece, named by the hash of all that it depends on and written whole
or not at all. The same command finds them again; another one does not. One study at a time may use
it: the lock goes with its process, however that ends.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from reports.run_folder import FRAMES, OPTIONAL, file_name
from sim.folders import folder_written_whole
from theory.errors import BadInput

if TYPE_CHECKING:
    from sim.runs import Run
    from sim.study import Piece

_WATCH = "watch.json"
_LOCK = "lock"


@dataclass
class Parts:
    """A store of pieces in a folder, for `sim.study.play`."""

    folder: Path
    parameters: Mapping[str, Any]
    """What all pieces share."""
    streams: dict[tuple[str, int], Mapping[str, str]] = field(default_factory=dict)
    """The hashes of each stream's files, by name and seed."""
    kept: int = 0
    """Episodes kept so far, found or new."""

    def get(self, piece: Piece) -> Run | None:
        """What was kept of a piece, if anything."""
        from sim.runs import Run

        path = self._path(piece)
        if not path.is_dir():
            return None
        frames: dict[str, Any] = {
            name: pl.read_parquet(path / file_name(name))
            for name in (*FRAMES, *OPTIONAL)
            if name in FRAMES or (path / file_name(name)).exists()
        }
        return Run(**frames, watch=json.loads((path / _WATCH).read_text(encoding="utf-8")))

    def put(self, piece: Piece, played: Run) -> None:
        """Keep a piece, whole or not at all."""
        self.kept += len(piece.judges)
        path = self._path(piece)
        if path.is_dir():
            return
        with folder_written_whole(path, lambda _: False, what="a piece of a run") as part:
            for name in (*FRAMES, *OPTIONAL):
                frame = getattr(played, name)
                if frame is not None:
                    frame.write_parquet(part / file_name(name))
            (part / _WATCH).write_text(json.dumps(played.watch), encoding="utf-8")

    def _path(self, piece: Piece) -> Path:
        what = [self.parameters, piece, self.streams[piece.stream, piece.seed]]
        digest = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
        return self.folder / digest[:32]


@contextmanager
def parts_beside(folder: Path, parameters: Mapping[str, Any]) -> Iterator[Parts]:
    """The store beside a run's folder; it goes when its block ends well, and stays otherwise."""
    target = folder.resolve()
    parts = Parts(target.with_name(f"{target.name}.parts"), parameters)
    parts.folder.mkdir(parents=True, exist_ok=True)
    with (parts.folder / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            rule = "is in use: another run writes to it"
            raise BadInput("output", str(folder), rule) from error
        try:
            yield parts
        except BaseException:
            if not parts.kept:
                shutil.rmtree(parts.folder)
            raise
        shutil.rmtree(parts.folder)
