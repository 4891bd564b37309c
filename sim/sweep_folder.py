"""Where a sweep keeps what is done until it is whole: `OUT.parts/`, then `OUT` and its manifest.

Everything is written beside and renamed, so that a sweep can be killed at any moment:

- `OUT.parts/lock` is locked (flock) by the sweep that writes here. The system lets go of it when
  that sweep ends, however it ends.
- `OUT.parts/sweep.json` says which sweep this is; another one is refused.
- `OUT.parts/00000001.parquet` and on: finished cells, as `sim.outcomes.outcome_frames` gives them.
- `OUT`, then `OUT.manifest.json`, are written once every cell is done. Then the parts go.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl

from sim.cells import cell_key
from sim.outcomes import ERROR, KEY, REPLICATE, SECONDS, Outcome, Shape, outcome_frames, shape_of
from theory.errors import BadInput

_SHAPES = "shapes"
"""In the metadata of `OUT`, as JSON: the shapes of its cells' results."""
_LOCK, _IDENTITY = "lock", "sweep.json"
_DISCARD = "discard it by --fresh (resume=False), or write elsewhere"

Identity = Mapping[str, str]
"""What cells must have in common to be of one sweep, such as its seed."""


def manifest_path(out: Path) -> Path:
    """Where the manifest of a sweep lies."""
    return out.with_name(f"{out.name}.manifest.json")


def parts_path(out: Path) -> Path:
    """Where the finished cells of a sweep lie until it is whole."""
    return out.with_name(f"{out.name}.parts")


@contextmanager
def sweep_folder(out: Path, identity: Identity, *, resume: bool) -> Iterator[SweepFolder]:
    """The parts of the sweep into `out`, ours alone until the block is left.

    Refuses an `out` that another sweep is writing, or that holds another sweep. Without `resume`
    whatever is there is discarded.
    """
    _check_place(out)
    folder = parts_path(out)
    with _locked(folder, out):
        kept = SweepFolder(out, identity)
        try:
            kept.begin(resume=resume)
            yield kept
        finally:
            kept.leave()


class SweepFolder:
    """The outcomes of one sweep on disk; made by `sweep_folder`."""

    def __init__(self, out: Path, identity: Identity) -> None:
        self._out = out
        self._folder = parts_path(out)
        self._identity = dict(identity)
        self._last = 0

    def begin(self, *, resume: bool) -> None:
        """Check whose parts are there, or discard them; say whose they are from now on."""
        for left in self._folder.glob(".*.part"):
            left.unlink()
        if not resume:
            self._remove_parts()
            for path in (self._out, manifest_path(self._out)):
                path.unlink(missing_ok=True)
        mark = self._folder / _IDENTITY
        if mark.exists():
            self._check_identity(json.loads(mark.read_text(encoding="utf-8")), self._folder)
        else:
            self._write(mark, json.dumps(self._identity).encode())
        self._last = max((int(path.stem) for path in self._parts()), default=0)

    def load(self) -> list[pl.DataFrame]:
        """All outcomes that are there, the oldest first."""
        whole = self._load_whole() if self._out.exists() else []
        return [*whole, *(_read(path) for path in self._parts())]

    def add(self, outcomes: Mapping[bytes, Outcome]) -> None:
        """Keep some more outcomes."""
        for frame in outcome_frames(outcomes):
            self._last += 1
            self._write(self._folder / f"{self._last:08}.parquet", _parquet(frame))

    def finish(
        self,
        frame: pl.DataFrame,
        shapes: Sequence[Shape],
        manifest: Mapping[str, Any],
        cell_seconds: Sequence[float | None],
    ) -> None:
        """Write the sweep whole, its manifest beside it, and remove the parts.

        The file tells its seed and version but no time and no path: same sweep, same bytes.
        """
        metadata = self._identity | {_SHAPES: json.dumps(shapes)}
        data = _parquet(frame, metadata)
        document = {**manifest, "sha256": hashlib.sha256(data).hexdigest()}
        self._write(self._out, data)
        self._write(manifest_path(self._out), _manifest(document, cell_seconds))
        self._remove_parts()

    def leave(self) -> None:
        """Remove the folder unless there is something in it that is worth keeping."""
        if not self._parts():
            with suppress(OSError):
                for path in (self._folder / _IDENTITY, self._folder / _LOCK):
                    path.unlink(missing_ok=True)
                self._folder.rmdir()

    def _parts(self) -> list[Path]:
        return sorted(self._folder.glob("[0-9]*.parquet"))

    def _remove_parts(self) -> None:
        for path in self._parts():
            path.unlink()
        (self._folder / _IDENTITY).unlink(missing_ok=True)

    def _check_identity(self, found: Mapping[str, str], where: Path) -> None:
        for name, ours in self._identity.items():
            if found.get(name) != ours:
                theirs = found.get(name, "unknown")
                rule = f"holds a sweep with another {name}, {theirs}, not {ours}: {_DISCARD}"
                raise BadInput("output", str(where), rule)

    def _load_whole(self) -> list[pl.DataFrame]:
        """The cells of a finished sweep: its parameters are the columns up to the replicate."""
        try:
            metadata = pl.read_parquet_metadata(self._out)
        except (OSError, pl.exceptions.PolarsError) as error:
            rule = f"is no Parquet file that a sweep wrote: {_DISCARD}"
            raise BadInput("output", str(self._out), rule) from error
        self._check_identity(metadata, self._out)
        frame = _read(self._out)
        parameters = frame.columns[: frame.columns.index(REPLICATE)]
        keys = [
            cell_key(
                {name: row[name] for name in parameters if row[name] is not None}, row[REPLICATE]
            )
            for row in frame.iter_rows(named=True)
        ]
        rows = frame.drop(*parameters, REPLICATE).with_columns(
            pl.Series(KEY, keys, dtype=pl.Binary),
            pl.Series(SECONDS, self._seconds_of(frame.height), dtype=pl.Float64),
        )
        return [
            *(
                rows.filter(_has_just(shape, rows)).select(KEY, SECONDS, ERROR, *shape)
                for shape in (tuple(names) for names in json.loads(metadata[_SHAPES]))
            ),
            rows.filter(_has_just((), rows)).select(KEY, SECONDS, ERROR),
        ]

    def _seconds_of(self, rows: int) -> list[float | None]:
        """How long each cell of `OUT` took, if its manifest still tells."""
        try:
            manifest = json.loads(manifest_path(self._out).read_text(encoding="utf-8"))
            same = manifest["sha256"] == hashlib.sha256(self._out.read_bytes()).hexdigest()
            seconds: list[float | None] = manifest["cell_seconds"]
        except (OSError, ValueError, KeyError, TypeError):
            return [None] * rows
        return seconds if same and len(seconds) == rows else [None] * rows

    def _write(self, path: Path, data: bytes) -> None:
        """Write a file whole: beside, in the folder of parts, then renamed."""
        part = self._folder / f".{path.name}.part"
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            rule = (
                f"could not be written: {error.strerror}; the same sweep resumes from what is kept"
            )
            raise BadInput("output", str(path), rule) from error


def _check_place(out: Path) -> None:
    """Refuse, before any work is done, an output that could not be written at its end."""
    for path in (out, manifest_path(out)):
        if path.is_dir():
            raise BadInput("output", str(path), "must be a file, not a folder")
    parent = out.parent
    if not parent.is_dir():
        raise BadInput("output", str(out), f"must lie in a folder that exists, not {parent}")
    if not os.access(parent, os.W_OK | os.X_OK):
        rule = f"must lie in a folder that can be written to: {parent}"
        raise BadInput("output", str(out), rule)


@contextmanager
def _locked(folder: Path, out: Path) -> Iterator[None]:
    """Hold the folder's lock; refuse where another sweep does."""
    try:
        handle = _lock(folder)
    except BlockingIOError as error:
        raise BadInput("output", str(out), "is being written by another sweep") from error
    except OSError as error:
        rule = f"needs the folder {folder}, which could not be made: {error.strerror}"
        raise BadInput("output", str(out), rule) from error
    try:
        yield
    finally:
        os.close(handle)


def _lock(folder: Path) -> int:
    """An open, locked file in the folder.

    A sweep that ends removes the file while we may be opening it: what we locked must still be
    the one that others would find.
    """
    while True:
        folder.mkdir(exist_ok=True)
        try:
            handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found = (folder / _LOCK).stat()
        except FileNotFoundError:
            os.close(handle)
            continue
        except OSError as error:
            os.close(handle)
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise BlockingIOError from error
            raise
        if os.path.samestat(found, os.fstat(handle)):
            return handle
        os.close(handle)


def _read(path: Path) -> pl.DataFrame:
    try:
        with path.open("rb") as file:
            return pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        rule = "is damaged: remove it, and the sweep plays its cells again"
        raise BadInput("part", path.name, rule).at(path.parent) from error


def _parquet(frame: pl.DataFrame, metadata: dict[str, str] | None = None) -> bytes:
    file = io.BytesIO()
    frame.rechunk().write_parquet(file, metadata=metadata)
    return file.getvalue()


def _manifest(document: Mapping[str, Any], cell_seconds: Sequence[float | None]) -> bytes:
    """The document, then the cells' seconds on one line: there may be many."""
    head = json.dumps(document, indent=2, ensure_ascii=False).removesuffix("\n}")
    each = json.dumps([None if it is None else round(it, 6) for it in cell_seconds])
    return f'{head},\n  "cell_seconds": {each}\n}}\n'.encode()


def _has_just(shape: Shape, rows: pl.DataFrame) -> pl.Expr:
    """The rows that have these results and no others."""
    names = shape_of(rows)
    return pl.all_horizontal(
        pl.lit(value=True),
        *(pl.col(name).is_not_null() == (name in shape) for name in names),
    )
