"""Routers that do their work faster where they are told beforehand what will come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from routers.entry import Entry
from routers.notice import Notice


@runtime_checkable
class Prepares(Protocol):
    """Wants to know what will come, which changes neither a delivery nor when it happens."""

    def prepare(self, entries: Iterable[Entry], notices: Iterable[Notice]) -> None:
        """Hear of all entries and notices that are to come, their public parts alone."""
        ...


def prepare(router: object, entries: Iterable[Entry], notices: Iterable[Notice]) -> None:
    """Tell a router what will come, if it is one that wants to know."""
    if isinstance(router, Prepares):
        router.prepare(entries, notices)
