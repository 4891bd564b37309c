"""The table of INDIRECT by router, as README and report show it: ours beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from llm.watch_writers import DEFAULT_WATCH_WRITER
from reports.reference import GROUP, Reference
from reports.tables import PaperFigure, paper_figures
from sim.watching import reads_conditions

STREAM = "indirect"
TRAPS = 96
"""Traps of one stream, in terms of which they are given."""
KINDS = ("option", "dependency", "other-name", "upstream")
HEADINGS = (
    "router",
    *(f"{kind.replace('-', ' ')}, K = 3" for kind in KINDS),
    *("all, K = 3", "all, K = 1", f"traps of {TRAPS}", "the paper's"),
)


class Key(NamedTuple):
    """A router, and who wrote the conditions that it reads."""

    router: str
    watch: str | None

    @property
    def told(self) -> str:
        """Its name in tables."""
        return self.router if self.watch is None else f"{self.router} ({self.watch})"


def routers(reference: Reference) -> list[Key]:
    """The routers with a K that matters, without a time filter around them, in their order."""
    rows = reference.counts.select("router", "watch", "k", "received").rows()
    bounded = {Key(router, watch): None for router, watch, k, sent in rows if k == 3 and sent}
    return [key for key in bounded if "+" not in key.router]


def indirect_rows(reference: Reference) -> list[tuple[str, ...]]:
    """Decisive notices delivered by kind of reference, in per cent, and traps; under `HEADINGS`."""
    kinds = _index(reference, GROUP)
    whole = _index(reference, GROUP[:-1])
    rows = []
    for key in routers(reference):
        at_three, at_one = (whole[STREAM, *key, k] for k in (3, 1))
        rows.append(
            (
                key.told,
                *(percent(kinds[STREAM, *key, 3, kind]["recall"]) for kind in KINDS),
                percent(at_three["recall"]),
                percent(at_one["recall"]),
                f"{TRAPS * at_three['trap_rate']:.1f}",
                ", ".join(_told(it) for it in reported() if _is_of(it, key)),
            )
        )
    return rows


def markdown(reference: Reference) -> str:
    """The table for README."""
    lines = [HEADINGS, ["---"] * len(HEADINGS), *indirect_rows(reference)]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)


def reported() -> list[PaperFigure]:
    """What the paper reports of routers alone, no judge having a part in it."""
    return [it for it in paper_figures().values() if it.model is None and it.measure in SHARES]


SHARES = {"recall": "recall", "pair_recall": "pair_recall", "traps": "trap_rate"}
"""The paper's measures, and what the reference figures call them."""


def ours(reference: Reference, figure: PaperFigure) -> dict[str, Any]:
    """Our counts and shares of what the paper reports, with that share of them as `share`."""
    group = GROUP if figure.kind else GROUP[:-1]
    key = (figure.stream, figure.router, writer(figure), figure.k)
    row = _index(reference, group)[*key, *((figure.kind,) if figure.kind else ())]
    return row | {"share": row[SHARES[figure.measure]]}


def writer(figure: PaperFigure) -> str | None:
    """The writer of ours that stands in for the paper's model, where the router needs one."""
    return DEFAULT_WATCH_WRITER if reads_conditions(figure.router) else None


def percent(share: float) -> str:
    """A share in per cent, with one decimal unless it is whole."""
    return "100" if share == 1 else f"{100 * share:.1f}"


def _index(reference: Reference, group: Sequence[str]) -> dict[tuple[Any, ...], dict[str, Any]]:
    rows = reference.shares(group).iter_rows(named=True)
    return {tuple(row[name] for name in group): row for row in rows}


def _is_of(figure: PaperFigure, key: Key) -> bool:
    return (figure.stream, figure.router, writer(figure)) == (STREAM, *key)


def _told(figure: PaperFigure) -> str:
    if figure.measure == "traps":
        return f"traps {figure.part}"
    where = f"K = {figure.k}" if figure.kind is None else figure.kind.replace("-", " ")
    return f"{where}: {percent(figure.share)}"
