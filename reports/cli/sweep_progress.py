"""How a sweep goes, on standard error: one bar, or plain lines where that is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from tqdm import tqdm

from reports.cli.progress import PATIENCE

if TYPE_CHECKING:
    from sim.keeping import Tally

BETWEEN_LINES = 10.0
"""Seconds from one plain line to the next."""

Follow: TypeAlias = "Callable[[Tally], object]"


@contextmanager
def sweep_progress(*, quiet: bool) -> Iterator[Follow]:
    """A function to call with how far the sweep is; silent when quiet or soon over."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with tqdm(desc="sweeping", unit=" cells", delay=PATIENCE, leave=False) as bar:
            yield lambda tally: _move(bar, tally)
    else:
        yield Lines()


def _move(bar: tqdm[Any], tally: Tally) -> None:
    if bar.total is None:
        bar.total = tally.total
        bar.initial = bar.n = tally.kept
    if tally.failed:
        bar.set_postfix_str(f"{tally.failed:,} failed", refresh=False)
    bar.update(tally.done - bar.n)


class Lines:
    """A line from time to time: cells done, rate, time left, failures."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = self._last = clock()

    def __call__(self, tally: Tally) -> None:
        """Say how far the sweep is, if it is time to."""
        now = self._clock()
        if now - self._last < BETWEEN_LINES or tally.done == tally.kept:
            return
        self._last = now
        rate = (tally.done - tally.kept) / (now - self._started)
        click.echo(
            f"sweeping: {tally.done:,} of {tally.total:,} cells, {rate:,.3g} a second,"
            f" {tqdm.format_interval((tally.total - tally.done) / rate)} left,"
            f" {tally.failed:,} failed",
            err=True,
        )
