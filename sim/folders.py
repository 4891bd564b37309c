"""Folders written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from theory import BadInput


def check_folder(
    folder: Path, replaces: Callable[[Path], bool], *, what: str, field: str = "output"
) -> None:
    """Refuse, before any work is done, a folder that could not be written at its end.

    It may be new, empty, or one that `replaces` knows as of its own kind (`what`).
    """
    if folder.exists() and not folder.is_dir():
        raise BadInput(field, str(folder), "must be a folder, not a file")
    parent = folder.resolve().parent
    if not parent.is_dir():
        raise BadInput(field, str(folder), f"must lie in a folder that exists, not {parent}")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise BadInput(field, str(folder), f"must lie in a folder that can be written to: {parent}")
    if folder.is_dir() and any(folder.iterdir()) and not replaces(folder):
        rule = f"must be new, empty or {what} alone: it holds other files"
        raise BadInput(field, str(folder), rule)


@contextmanager
def folder_written_whole(
    folder: Path, replaces: Callable[[Path], bool], *, what: str, field: str = "output"
) -> Iterator[Path]:
    """A folder beside `folder` to fill; it takes its place at the end, and goes on any error."""
    check_folder(folder, replaces, what=what, field=field)
    target = folder.resolve()
    part, old = (
        target.with_name(f".{target.name}.{os.getpid()}.{role}") for role in ("part", "old")
    )
    try:
        part.mkdir()
        yield part
        if target.exists():
            target.rename(old)
        try:
            part.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    except OSError as error:
        reason = error.strerror or error
        raise BadInput(field, str(folder), f"could not be written: {reason}") from error
    finally:
        for left in (part, old):
            shutil.rmtree(left, ignore_errors=True)
