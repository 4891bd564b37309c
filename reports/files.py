"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from theory.errors import BadInput


def check_writable(path: Path, *, field: str = "output") -> None:
    """Refuse, before any work is done, an output that could not be written at its end."""
    if path.is_dir():
        raise BadInput(field, str(path), "must be a file, not a folder")
    if not path.parent.is_dir():
        raise BadInput(field, str(path), f"must lie in a folder that exists, not {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise BadInput(
            field, str(path), f"must lie in a folder that can be written to: {path.parent}"
        )


@contextmanager
def written_whole(path: Path, *, field: str = "output") -> Iterator[Path]:
    """A path beside `path` to write to; renamed over it at the end, removed on any error."""
    check_writable(path, field=field)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except OSError as error:
        raise BadInput(field, str(path), f"could not be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
