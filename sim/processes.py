"""Executors on this machine.

A pool of processes that ends with its user, at Ctrl-C, on an error or killed; and this process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import active_children, parent_process
from types import TracebackType
from typing import ParamSpec, TypeVar

from theory.errors import BadInput

P = ParamSpec("P")
Result = TypeVar("Result")


_HEARTBEAT = 0.5
"""Seconds. A wait without a limit would be deaf to Ctrl-C once Polars is loaded."""


class ThisProcess(Executor):
    """Runs what is submitted at once, here."""

    def submit(
        self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Result]:
        """As `Executor.submit`; Ctrl-C and the like are raised, not kept in the future."""
        done: Future[Result] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 (a future holds whatever was raised)
            done.set_exception(error)
        return done


def local_processes(workers: int) -> LocalProcesses:
    """A pool of workers that have started; refuses where they cannot."""
    pool = LocalProcesses(workers)
    try:
        started = pool.submit(os.getpid)
        while not started.done():
            wait([started], timeout=_HEARTBEAT)
        started.result()
    except BrokenProcessPool as error:
        pool.shutdown(cancel_futures=True)
        rule = "died as they started: a script must sweep under `if __name__ == '__main__':`"
        raise BadInput("workers", workers, rule) from error
    except BaseException as error:
        pool.__exit__(type(error), error, error.__traceback__)
        raise
    return pool


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
