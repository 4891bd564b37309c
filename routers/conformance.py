"""The tests that every router must pass, ours or a user's.

    from routers.conformance import check_router
    check_router(lambda k: MyRouter(k=k), rng=np.random.default_rng(0))

Each check plays random histories in a small town, where names recur so that scores tie, and raises
`NotConforming` with what it found.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np

from routers.delivery import Delivery
from routers.entry import Entry
from routers.fields import Json
from routers.ledger import Ledger
from routers.notice import Notice
from routers.router import NotConforming, Router
from theory.errors import BadInput

Make: TypeAlias = Callable[[int], Router]
"""Makes an empty router that delivers each notice to at most this many entries."""

Check: TypeAlias = Callable[[Make, np.random.Generator], None]

Step: TypeAlias = Entry | Notice | str
"""An entry to record, a notice to publish, or the id of an entry to close."""

Item = TypeVar("Item")

_NONE: Json = {}

ROUNDS = 8
"""Histories that each check plays."""


def check_router(make: Make, *, rng: np.random.Generator) -> None:
    """Run every check; raises `NotConforming` at the first that fails, naming it."""
    for check in CHECKS:
        try:
            for _ in range(ROUNDS):
                check(make, rng)
        except Exception as error:
            says = error if isinstance(error, NotConforming) else f"it raises {error!r}"
            raise NotConforming(f"{check.__name__}: {says}") from error


def declares_itself(make: Make, rng: np.random.Generator) -> None:
    """It says its name, its `k`, whether it is unbounded and whether it was built on gold."""
    k = int(rng.integers(1, 5))
    router = make(k)
    _require(isinstance(router.name, str) and router.name, "its name must be a text")
    _require(router.k == k, f"made for k = {k}, it says {router.k}")
    for flag in ("unbounded", "gold"):
        _require(isinstance(getattr(router, flag), bool), f"its {flag} must be true or false")


def delivers_well(make: Make, rng: np.random.Generator) -> None:
    """To open entries, to `k` at most, to each once, best first, equal scores by entry id."""
    router = make(int(rng.integers(1, 4)))
    for open_now, notice in _played(router, rng):
        made = router.route(notice)
        reached = [delivery.entry for delivery in made]
        for delivery in made:
            _require(delivery.entry in open_now, f"{delivery} goes to no open entry")
            _require(delivery.notice == notice.id, f"{delivery} is not of notice {notice.id}")
            _require(0 < delivery.score < math.inf, f"{delivery} needs a finite score > 0")
        _require(len(set(reached)) == len(reached), f"{made} reaches an entry twice")
        if not router.unbounded:
            _require(len(made) <= router.k, f"{made} are more than k = {router.k}")
        ranked = sorted(made, key=lambda delivery: (-delivery.score, delivery.entry))
        _require(list(made) == ranked, f"{made} are not best first, equal scores by entry id")


def prefers_lower_ids(make: Make, rng: np.random.Generator) -> None:
    """Among entries that differ in nothing but their id, the first by id are reached."""
    router = make(int(rng.integers(1, 4)))
    entry = _entry("any", rng)
    for number in rng.permutation(9):
        router.open(replace(entry, id=f"d{number}"))
    for number in range(9):
        notice = _notice(f"n{number}", rng)
        about_it = replace(notice, text=f"{entry.options[0]}: {notice.text}")
        reached = [delivery.entry for delivery in router.route(about_it)]
        first = [f"d{number}" for number in range(len(reached))]
        _require(reached == first, f"of equal entries it reaches {reached}, not {first}")


def answers_alike(make: Make, rng: np.random.Generator) -> None:
    """The same history gives the same deliveries, and asking changes nothing."""
    k = int(rng.integers(1, 4))
    seed = int(rng.integers(2**32))
    runs = []
    for times in (1, 2):
        router = make(k)
        history = _played(router, np.random.default_rng(seed))
        runs.append([[router.route(notice) for _ in range(times)][-1] for _, notice in history])
    _require(runs[0] == runs[1], f"one history gave {runs[0]}, then {runs[1]}")


def forgets_the_past(make: Make, rng: np.random.Generator) -> None:
    """Only what is open counts: not the order of opening, nor what was open before."""
    k = int(rng.integers(1, 4))
    router = make(k)
    for open_now, notice in _played(router, rng):
        fresh = make(k)
        for entry_id in rng.permutation(sorted(open_now)):
            fresh.open(open_now[str(entry_id)])
        found, expected = router.route(notice), fresh.route(notice)
        _require(found == expected, f"{found} follows from the past; a new router says {expected}")


def sees_no_gold(make: Make, rng: np.random.Generator) -> None:
    """Unless it declares `gold`, what is true of entries and notices changes nothing."""
    k = int(rng.integers(1, 4))
    if make(k).gold:
        return
    seed = int(rng.integers(2**32))
    runs = []
    for gold in (_NONE, {"label": 0, "relation": "namesake"}, {"label": 1, "relation": "decisive"}):
        router = make(k)
        history = _played(router, np.random.default_rng(seed), gold=gold)
        runs.append([router.route(notice) for _, notice in history])
    _require(
        runs[0] == runs[1] == runs[2], "its deliveries change with gold that it never declared"
    )


def survives_any_text(make: Make, rng: np.random.Generator) -> None:
    """No text stops it: none of its words known, no words at all, any script, any length."""
    router = make(3)
    texts = [
        "?!",
        "\U0001f30a\ufe0f",
        "שלום עולם",
        "قلعه",
        "東京タワー",
        "हिन्दी",
        "Ⅷ ½",
        "a" * 9_999,
    ]
    texts.append(" ".join(rng.choice(_WORDS, 10_000)))
    for number, text in enumerate(texts):
        notice = Notice(id=f"n{number}", published=1, text=text)
        router.route(notice)
        router.open(Entry(id=f"d{number}", decided=0, deadline=1, options=(text,), text=text))
        router.route(notice)
    for number in range(len(texts)):
        router.close(f"d{number}")
    made = router.route(Notice(id="last", published=1, text=" ".join(texts)))
    _require(not made, f"{made} though no entry is open")


def keeps_to_windows(make: Make, rng: np.random.Generator) -> None:
    """In a ledger, only `decided < published <= deadline` is reached, and only while open."""
    history = _history(rng)
    # What comes in out of order is routed too.
    for place in rng.integers(1, len(history), size=len(history) // 3):
        history[place - 1], history[place] = history[place], history[place - 1]
    with Ledger(router=make(int(rng.integers(1, 4)))) as ledger:
        published = {step.id: step.published for step in history if isinstance(step, Notice)}
        for step in history:
            with suppress(BadInput):  # a deadline already past, an entry not yet recorded
                for delivery in _take(ledger, step):
                    record = ledger.history(delivery.entry).record
                    _require(record.state == "open", f"{delivery} goes to an entry not open")
                    start, end = record.entry.decided, record.entry.deadline
                    inside = start < published[delivery.notice] <= end
                    _require(inside, f"{delivery} lies outside its entry's window")


def replays_alike(make: Make, rng: np.random.Generator) -> None:
    """Live in memory, restarted again and again, and from two places in turn: one result."""
    k = int(rng.integers(1, 4))
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:

        def ledger(path: str) -> Ledger:
            return stack.enter_context(Ledger(path, router=make(k)))

        file, shared = str(Path(folder, "restarted.db")), str(Path(folder, "shared.db"))
        live, restarted, places = ledger(":memory:"), ledger(file), [ledger(shared), ledger(shared)]
        for number, step in enumerate(_history(rng)):
            if rng.random() < 0.1:
                restarted.disconnect()
                restarted = ledger(file)
            expected = _take(live, step)
            again, elsewhere = _take(restarted, step), _take(places[number % 2], step)
            _require(again == expected, f"live it makes {expected}, after a restart {again}")
            _require(elsewhere == expected, f"alone it makes {expected}, from two {elsewhere}")


def catches_up(make: Make, rng: np.random.Generator) -> None:
    """An entry that is recorded late receives what it would have received in time."""
    k = int(rng.integers(1, 4))
    history = _history(rng)
    late = _pick([step for step in history if isinstance(step, Entry)], rng)
    history = [step for step in history if step != late.id]
    start = history.index(late)
    end = start + 1
    while end < len(history) and _time(history[end]) <= late.deadline:
        end += 1
    cut = int(rng.integers(start, end)) + 1
    with Ledger(router=make(k)) as in_time, Ledger(router=make(k)) as catching_up:
        for step in history[:cut]:
            _take(in_time, step)
            if step is not late:
                _take(catching_up, step)
        catching_up.open(late)
        expected, found = (it.history(late.id).received for it in (in_time, catching_up))
        _require(found == expected, f"in time {late.id} receives {expected}, late {found}")


CHECKS: tuple[Check, ...] = (
    declares_itself,
    delivers_well,
    prefers_lower_ids,
    answers_alike,
    forgets_the_past,
    sees_no_gold,
    survives_any_text,
    keeps_to_windows,
    replays_alike,
    catches_up,
)


def _require(holds: object, otherwise: str) -> None:
    if not holds:
        raise NotConforming(otherwise)


# The town: names that share words, in several scripts.
_NAMES = (
    "Old Mill", "Mill", "Mill Lane", "Harbour Hall", "Old Harbour", "Line 4", "Quay", "Old Quay",
    "גשר ישן", "東京タワー",
)  # fmt: skip
_WORDS = ("closed", "from", "Monday", "works", "flood", "the", "by", "open", "again", "near")


def _entry(entry_id: str, rng: np.random.Generator, gold: Json = _NONE) -> Entry:
    """A decision on two or three names, decided, due and mostly over at whole hours."""
    option, alternative, dependency = (str(name) for name in rng.choice(_NAMES, 3, replace=False))
    decided = int(rng.integers(0, 12))
    deadline = decided + int(rng.integers(1, 8))
    return Entry(
        id=entry_id,
        decided=decided,
        deadline=deadline,
        activity_end=deadline + int(rng.integers(0, 6)) if rng.random() < 0.7 else None,
        options=(option, alternative),
        text=f"A concert at {option}, or else at {alternative}",
        dependencies=(dependency,) if rng.random() < 0.5 else (),
        background=(f"{option} is reached by {dependency}",),
        watch=(f"{dependency} is closed",),
        extra=gold,
    )


def _notice(notice_id: str, rng: np.random.Generator, gold: Json = _NONE) -> Notice:
    """News of up to three names, published at a whole or half hour, and half of it dated."""
    said = [*rng.choice(_NAMES, int(rng.integers(0, 4))), *rng.choice(_WORDS, 4)]
    rng.shuffle(said)
    if rng.random() < 0.5:
        said.append(f"since {rng.integers(0, 24)}:00 on 1 January 1970")
    published = int(rng.integers(0, 40)) / 2
    return Notice(id=notice_id, published=published, text=" ".join(said), extra=gold)


def _history(rng: np.random.Generator) -> list[Step]:
    """Entries and notices in order of time, those of one time in any order, and some closings."""
    timed: list[Entry | Notice] = [_entry(f"d{number}", rng) for number in rng.permutation(14)]
    timed += [_notice(f"n{number}", rng) for number in rng.permutation(30)]
    steps: list[Step] = sorted(timed, key=_time)
    for entry in timed:
        if isinstance(entry, Entry) and rng.random() < 0.3:
            steps.insert(int(rng.integers(steps.index(entry), len(steps))) + 1, entry.id)
    return steps


def _time(step: Step) -> float:
    """When a step happens; a closing has no time of its own."""
    if isinstance(step, str):
        return -math.inf
    return step.decided if isinstance(step, Entry) else step.published


def _take(ledger: Ledger, step: Step) -> list[Delivery]:
    """Do a step; to close what is no longer open is no step."""
    if isinstance(step, Entry):
        return ledger.open(step)
    if isinstance(step, Notice):
        return ledger.publish(step)
    if ledger.history(step).record.state == "open":
        ledger.close(step)
    return []


def _played(
    router: Router, rng: np.random.Generator, gold: Json = _NONE
) -> Iterator[tuple[dict[str, Entry], Notice]]:
    """Open and close entries in a router; at each notice, what is open and the notice."""
    open_now: dict[str, Entry] = {}
    closed: dict[str, Entry] = {}
    for number in range(40):
        entry = closed.popitem()[1] if closed and rng.random() < 0.2 else None
        entry = entry or _entry(f"d{rng.integers(1_000)}-{number}", rng, gold)
        router.open(entry)
        open_now[entry.id] = entry
        if len(open_now) > 6 or rng.random() < 0.3:
            gone = _pick(sorted(open_now), rng)
            closed[gone] = open_now.pop(gone)
            router.close(gone)
        yield open_now, _notice(f"n{number}", rng, gold)


def _pick(among: Sequence[Item], rng: np.random.Generator) -> Item:
    return among[int(rng.integers(len(among)))]
