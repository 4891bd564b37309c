"""Dask as an executor: a sweep on the workers of a cluster.

Its futures are those of `concurrent.futures`. A worker that dies loses its own batch, which Dask
gives to another one; a batch that ends several workers comes back with an error, and the sweep
then finds the cell that is to blame.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import NamedTuple

from theory import BadInput

PATIENCE = 10.0
"""Seconds to find the scheduler in."""


class Cluster(NamedTuple):
    """Workers elsewhere."""

    executor: Executor
    workers: int
    """How many cells they play at once."""


@contextmanager
def dask_cluster(address: str) -> Iterator[Cluster]:
    """The cluster of the Dask scheduler at an address, such as `tcp://host:8786`.

    Its workers must have the same version of bestbefore installed. Needs the extra `cluster`.
    """
    try:
        distributed = import_module("distributed")
    except ModuleNotFoundError as error:
        rule = f"needs Dask, of the extra cluster: no module {error.name}"
        raise BadInput("scheduler", address, rule) from error
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        rule = f"must be the address of a Dask scheduler that answers: {error}"
        raise BadInput("scheduler", address, rule) from error
    with client:
        workers = sum(client.ncores().values())
        if workers == 0:
            raise BadInput("scheduler", address, "must have at least one worker")
        # Not pure: a batch that is played again must not get the answer of the first time.
        yield Cluster(client.get_executor(pure=False), workers)
