"""What a router is, and the routers by name.

A router keeps an index of the open entries in memory: entries open and close, a notice comes in,
deliveries go out. The ledger feeds it in order and sees to times, so that it holds exactly the
entries that a notice may reach. Whoever writes one runs `routers.conformance` on it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Protocol

from routers.bm25 import Bm25
from routers.broadcast import Broadcast
from routers.delivery import Delivery
from routers.encoding.encoder import Encoder
from routers.entry import Entry
from routers.index_text import INDEX_TEXTS, ONE_BY_ONE
from routers.name import Name
from routers.none import Nowhere
from routers.notice import Notice
from routers.ranking import checked_k
from theory.errors import BadInput

DEFAULT_ROUTER = "bm25-text"


class Router(Protocol):
    """Sends each notice to at most `k` of the open entries.

    What it answers depends on the entries open at that moment and on the notice, on nothing else:
    not on the order in which they opened, nor on what was open before, nor on chance.
    """

    @property
    def name(self) -> str:
        """Its name in files and tables."""
        ...

    @property
    def k(self) -> int:
        """The most deliveries of one notice; without meaning where `unbounded`."""
        ...

    @property
    def unbounded(self) -> bool:
        """Whether it may deliver to more than `k` entries."""
        ...

    @property
    def gold(self) -> bool:
        """Whether it was built around what is true of entries and notices."""
        ...

    def open(self, entry: Entry) -> None:
        """Take in an entry; its `extra` is empty, and no open entry has its id."""
        ...

    def close(self, entry_id: str) -> None:
        """Forget an open entry."""
        ...

    def route(self, notice: Notice) -> list[Delivery]:
        """Deliveries to open entries, best first, equal scores by entry id; changes nothing."""
        ...


class NotConforming(AssertionError):
    """A router does what no router may; `routers.conformance` finds such things beforehand."""


def _dense(index_text: str, *, k: int, encoder: Encoder | None = None) -> Router:
    """Delivers each notice to the `k` entries nearest to it in meaning, by a sentence encoder."""
    from routers.dense import Dense  # numpy.random and the like, which only those need

    return Dense(index_text, k=k, encoder=encoder)


ROUTERS: dict[str, Callable[..., Router]] = {
    "none": Nowhere,
    "broadcast": Broadcast,
    "name": Name,
    **{f"bm25-{text}": partial(Bm25, text) for text in INDEX_TEXTS},
    **{f"dense-{text}": partial(_dense, text) for text in (*INDEX_TEXTS, *ONE_BY_ONE)},
}
"""How each router is made, called with `k=`, and `encoder=` where `uses_encoder`; whoever writes a
router adds a line."""


def _time_filter(router: Router) -> Router:
    """Drops deliveries of news that starts once the activity is over."""
    # The reader of dates takes 30 ms to load, which only those need who filter.
    from routers.time_filter import TimeFilter

    return TimeFilter(router)


WRAPPERS: dict[str, Callable[[Router], Router]] = {
    "time-filter": _time_filter,
}
"""What can be put around a router, written after its name: `bm25-text+time-filter`."""


def make_router(name: str, *, k: int = 3, encoder: Encoder | None = None) -> Router:
    """The router of this name, empty, delivering each notice to at most `k` entries.

    `encoder` is for the dense ones; all-MiniLM-L6-v2 by default.
    """
    base, wrappers = split_name(name)
    given = {"encoder": encoder} if uses_encoder(base) else {}
    return wrapped(ROUTERS[base](k=checked_k(k), **given), wrappers)


def uses_encoder(name: str) -> bool:
    """Whether the router of this name reads texts by an encoder."""
    return name.startswith("dense-")


def checked_name(name: str) -> str:
    """The name of a router that can be made."""
    split_name(name)
    return name


def split_name(name: str, *, known: Collection[str] = ROUTERS) -> tuple[str, Sequence[str]]:
    """The name of a router, one of those `known`, and what is put around it, innermost first."""
    base, *wrappers = name.split("+")
    wraps = set(wrappers) <= set(WRAPPERS) and len(set(wrappers)) == len(wrappers)
    if base not in known or not wraps:
        around = ", ".join(f"+{wrapper}" for wrapper in WRAPPERS)
        rule = f"must be one of {', '.join(known)}, with or without {around}"
        raise BadInput("router", name, rule)
    return base, wrappers


def wrapped(router: Router, wrappers: Sequence[str]) -> Router:
    """A router with all of these around it."""
    for wrapper in wrappers:
        router = WRAPPERS[wrapper](router)
    return router
