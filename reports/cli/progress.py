"""A progress bar on standard error for whatever takes over two seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

PATIENCE = 2.0
"""Seconds of work before a bar appears."""


@contextmanager
def progress(total: int | None, label: str, *, quiet: bool) -> Iterator[Callable[[int], object]]:
    """A function to call with the number of steps done; silent when quiet or not a terminal."""
    hidden = quiet or not sys.stderr.isatty()
    with tqdm(total=total, desc=label, delay=PATIENCE, disable=hidden, leave=False) as bar:
        yield bar.update
