"""A stream as a folder of JSON Lines, and a user's own in the same schema.

- `decisions.jsonl`: a decision a line, the fields of `routers.Entry` with all of its times, in
  order of `decided`
- `notices.jsonl`: a notice a line, `id, published, text`, in order of `published`
- `gold.jsonl`: `decision, label` (0 stand, 1 change), `kind, notices` (`[{id, relation}]`); of a
  natural stream also `cause` and `facts` (lines of `facts.jsonl`, counted from 0)
- `facts.jsonl` and `changes.jsonl`, a natural stream's log: `rate` per hour; and `fact, version,
  changed, published, notice`
- `manifest.json`: one object with `epoch`, and of a stream made here what made it

Times are hours from the epoch, or ISO 8601 with an offset, one kind a file. The files follow from
the seed, byte for byte. What breaks a rule is refused with file, line and field.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from routers import Entry, Notice
from routers.fields import Json, loads
from routers.times import read_epoch, shown
from sim.folders import check_folder, folder_written_whole
from sim.streams.gold_files import GOLD, LOG, gold_lines, read_gold_files
from sim.streams.lines import as_line, read_lines, write_lines
from sim.streams.stream import Gold, Labelled, Stream
from theory import BadInput

DECISIONS, NOTICES, MANIFEST = "decisions.jsonl", "notices.jsonl", "manifest.json"
FILES = (DECISIONS, NOTICES, GOLD, MANIFEST)
"""What every stream has."""
NEEDED_TIMES = ("written", "verified", "decided", "deadline", "action", "activity_end", "outcome")

Item = TypeVar("Item", Entry, Notice)


def is_stream(folder: Path) -> bool:
    """Whether the folder holds a stream and nothing else."""
    names = {path.name for path in folder.iterdir()}
    return names >= set(FILES) and names <= {*FILES, *LOG}


def check_output(folder: Path) -> None:
    """Refuse a folder that `write_stream` would refuse, before a stream is made."""
    check_folder(folder, is_stream, what="a stream")


def write_stream(labelled: Labelled, folder: Path) -> dict[str, object]:
    """Write a stream's folder, whole or not at all; returns its manifest.

    An existing folder is replaced if it is empty or a stream; anything else is refused.
    """
    with folder_written_whole(folder, is_stream, what="a stream") as part:
        hashes = {name: write_lines(part / name, lines) for name, lines in _files(labelled)}
        manifest = manifest_of(labelled, hashes)
        (part / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    return manifest


def manifest_of(labelled: Labelled, hashes: Mapping[str, str] | None = None) -> dict[str, object]:
    """What a stream's manifest says: public facts about it, and how it was made.

    `hashes` are the SHA-256 of its files, computed here where they are not given.
    """
    stream = labelled.stream
    if hashes is None:
        hashes = {
            name: hashlib.sha256("".join(lines).encode()).hexdigest()
            for name, lines in _files(labelled)
        }
    return {
        "kind": "stream",
        "stream": stream.name,
        "epoch": stream.epoch.isoformat().replace("+00:00", "Z"),
        "version": version("bestbefore"),
        **stream.made,
        "decisions": len(stream.decisions),
        "notices": len(stream.notices),
        **crowding(stream),
        "sha256": dict(hashes),
    }


def crowding(stream: Stream) -> dict[str, float | None]:
    """Medians of the decisions open at a notice, and of the notices in a revision window."""
    published = np.array([notice.published for notice in stream.notices])
    decided, deadline = (
        np.array([getattr(entry, name) for entry in stream.decisions])
        for name in ("decided", "deadline")
    )
    if not len(published) or not len(decided):
        return {"open_median": None, "window_notices_median": None}
    opened, ended = (np.searchsorted(np.sort(times), published) for times in (decided, deadline))
    first, last = (np.searchsorted(published, times, "right") for times in (decided, deadline))
    return {
        "open_median": float(np.median(opened - ended)),
        "window_notices_median": float(np.median(last - first)),
    }


def read_labelled(folder: Path, *, lazy: bool = False) -> Labelled:
    """The stream in a folder with its gold."""
    stream = read_stream(folder, lazy=lazy)
    return Labelled(stream, read_gold(folder, stream))


def read_stream(folder: Path, *, lazy: bool = False) -> Stream:
    """The public part of the stream in a folder, checked in full.

    `lazy` leaves the notices in their file, to be read again at each pass over them.
    """
    _check_files(folder)
    manifest, epoch = _read_manifest(folder / MANIFEST)
    decisions = read_lines(folder / DECISIONS, _Reader(Entry, epoch, "decided").read)
    path = folder / NOTICES
    return Stream(
        name=str(manifest.get("stream", folder.resolve().name)),
        epoch=epoch,
        decisions=tuple(decisions),
        notices=NoticeFile(path, epoch) if lazy else tuple(read_notices(path, epoch)),
        made={name: manifest[name] for name in ("seed", "parameters") if name in manifest},
    )


def read_gold(folder: Path, stream: Stream) -> Gold:
    """The gold of a stream in the same folder."""
    _check_files(folder)
    return read_gold_files(folder, stream)


class NoticeFile(Collection[Notice]):
    """A stream's notices in their file, read again and checked at each pass over them."""

    def __init__(self, path: Path, epoch: datetime) -> None:
        """Read them all once, and refuse what breaks a rule."""
        self._path = path
        self._epoch = epoch
        self._count = sum(1 for _ in read_notices(path, epoch))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Notice]:
        return read_notices(self._path, self._epoch)

    def __contains__(self, notice: object) -> bool:
        return any(notice == each for each in self)


def read_notices(path: Path, epoch: datetime) -> Iterator[Notice]:
    """The notices of a file one by one, checked on the way."""
    return read_lines(path, _Reader(Notice, epoch, "published").read)


class _Reader(Generic[Item]):
    """Reads decisions or notices: none twice, in order, and their times of one kind."""

    def __init__(self, of: type[Item], epoch: datetime, order: str) -> None:
        self._of: type[Item] = of
        self._epoch = epoch
        self._order = order
        self._before: Item | None = None
        self._seen: set[str] = set()

    def read(self, given: Json) -> Item:
        # Unknown fields may hold anything, gold too.
        item = self._of.from_json(given, epoch=self._epoch).public()
        if self._of is Entry:
            _check_times(item)
        if item.id in self._seen:
            raise BadInput("id", item.id, "must not be given twice")
        if self._before is not None:
            self._check_follows(self._before, item)
        self._seen.add(item.id)
        self._before = item
        return item

    def _check_follows(self, before: Item, item: Item) -> None:
        earlier, later = getattr(before, self._order), getattr(item, self._order)
        if item.kind != before.kind:
            rule = f"must be {before.kind}, as in the lines before"
            raise BadInput(self._order, shown(later), rule)
        if later < earlier:
            rule = f"must be at or after that of the line before(={shown(earlier)})"
            raise BadInput(self._order, shown(later), rule)


def _check_times(item: Entry | Notice) -> None:
    for name in NEEDED_TIMES:
        if getattr(item, name) is None:
            raise BadInput(name, None, "must be given")


def _files(labelled: Labelled) -> Iterator[tuple[str, Iterator[str]]]:
    """The lines of each file but the manifest."""
    stream, gold = labelled
    yield DECISIONS, (as_line(entry.to_json()) for entry in stream.decisions)
    yield NOTICES, (as_line(notice.to_json()) for notice in stream.notices)
    yield from gold_lines(gold)


def _check_files(folder: Path) -> None:
    if not folder.is_dir():
        raise BadInput("stream", str(folder), f"must be a folder with {', '.join(FILES)}")
    for name in FILES:
        if not (folder / name).is_file():
            rule = f"must hold {', '.join(FILES)}; {name} is missing"
            raise BadInput("stream", str(folder), rule)


def _read_manifest(path: Path) -> tuple[Json, datetime]:
    """The manifest and its epoch."""
    try:
        manifest = loads(path.read_text(encoding="utf-8-sig"))
        return manifest, read_epoch(manifest.get("epoch", ""))
    except UnicodeDecodeError:
        raise BadInput("manifest", path.name, "must be UTF-8 text").at(path) from None
    except BadInput as error:
        raise error.at(path) from None
