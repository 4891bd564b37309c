"""A pool of local processes that ends with its user, at Ctrl-C, on an error or killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.process import active_children, parent_process
from types import TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")


class LocalProcesses(ProcessPoolExecutor):
    """Workers in fresh interpreters, which share nothing but what is sent to them.

    When an error or a Ctrl-C leaves the `with` block, work under way is stopped, not awaited.
    """

    def __init__(self, workers: int) -> None:
        fresh = multiprocessing.get_context("spawn")
        super().__init__(workers, mp_context=fresh, initializer=_end_with_parent)
        self._not_ours = set(active_children())

    def submit(
        self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Result]:
        """As `Executor.submit`. Workers are started here, deaf to Ctrl-C, which is ours to heed."""
        with _interrupts_held():
            return super().submit(fn, *args, **kwargs)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if kind is not None:
            for process in set(active_children()) - self._not_ours:
                process.terminate()
            self.shutdown(cancel_futures=True)
        return super().__exit__(kind, error, trace)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until the block is left; processes started in it never receive one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """In a worker: leave when the parent is gone, even if it was killed without a word."""
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
