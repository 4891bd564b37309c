"""The section on what routers deliver: the reference figures, which are not computed here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from reports.page.figure import Figure, Section, Table
from reports.page.numbers import count, plural, verb
from reports.reference import GROUP, Reference
from reports.reference_table import (
    HEADINGS,
    Key,
    indirect_rows,
    ours,
    percent,
    reported,
    routers,
    writer,
)
from reports.tables import PaperFigure

ID, TITLE, SHORT = "reference", "What routers deliver", "Routers"
_KS = (1, 2, 3, 5, 10)


def reference_section(reference: Reference) -> Section:
    """Decisive news delivered, and traps, beside the paper's figures."""
    return Section(
        ID,
        TITLE,
        SHORT,
        _lead(reference),
        [
            Figure(
                "reference-indirect",
                [],
                "Per cent of changing decisions that their decisive notice reached, by how it "
                "refers to what the decision needs; traps are notices on what a dossier only "
                "mentions. In brackets, who wrote the watch conditions.",
                [
                    Table(
                        "Stream INDIRECT by router",
                        HEADINGS,
                        indirect_rows(reference),
                        muted=HEADINGS[-1:],
                    )
                ],
            ),
            Figure("reference-paper", [], _why(reference), [_against_paper(reference)]),
            Figure(
                "reference-streams",
                [],
                "By K, and on every stream; routers with an encoder on INDIRECT alone. A time "
                "filter drops news that starts once the activity is over; whether that was right "
                "is counted with gold, which no router is told.",
                [_by_k(reference), *_streams(reference)],
                folded=True,
            ),
        ],
    )


def _lead(reference: Reference) -> str:
    first, last = reference.provenance["seeds"]
    return (
        f"Which news reaches which decision, counted on our own streams with seeds {first} to "
        f"{last}. Kept with the code, made by {reference.provenance['command']}, and not computed "
        "for this page. The paper's figures stand beside them in grey; its texts are not ours."
    )


def _against_paper(reference: Reference) -> Table:
    rows = []
    for figure in reported():
        found, (low, high) = ours(reference, figure), figure.limits
        called, whole = _SHARES[figure.measure]
        said = (figure.stream, figure.router, f"K = {figure.k}", figure.kind or "all")
        rows.append(
            (
                f"{', '.join(said)}: {called}",
                percent(found["share"]),
                count(found[whole]),
                percent(figure.share),
                f"{percent(low)} to {percent(high)}",
                "inside" if figure.allows(found["share"]) else "OUTSIDE",
            )
        )
    columns = ("figure", "ours, %", "of", "the paper's, %", "its exact 95 % limits", "ours lies")
    return Table("Held against the paper", columns, rows, muted=columns[3:5])


_SHARES = {
    "recall": ("decisions reached", "changing"),
    "pair_recall": ("decisive pairs delivered", "news"),
    "traps": ("traps delivered", "lures"),
}
"""What each measure is called, and what it is a share of."""


def _why(reference: Reference) -> str:
    """What lies outside the paper's limits, and why."""
    outside = [it for it in reported() if not it.allows(ours(reference, it)["share"])]
    reasons = dict.fromkeys(_reason(reference, it) for it in outside if it.why)
    said = f"Of {plural(len(reported()), 'figure')} {verb(len(outside), 'lies', 'lie')} outside."
    return " ".join((said, *reasons))


def _reason(reference: Reference, figure: PaperFigure) -> str:
    by = writer(figure)
    if by is None:
        return figure.why
    named = reference.conditions.filter(stream=figure.stream, watch=by)
    return figure.why.format(**named.row(0, named=True))


def _by_k(reference: Reference) -> Table:
    shares = reference.shares(GROUP[:-1]).filter(stream="indirect")
    rows = []
    for key in routers(reference):
        found = shares.filter(pl.col("watch").eq_missing(key.watch), router=key.router)
        at = {row["k"]: row for row in found.iter_rows(named=True)}
        cells = [f"{percent(at[k]['recall'])} / {percent(at[k]['trap_rate'])}" for k in _KS]
        rows.append((key.told, *cells))
    columns = ("router", *(f"K = {k}" for k in _KS))
    return Table("INDIRECT by K: decisions reached / traps delivered, %", columns, rows)


def _streams(reference: Reference) -> list[Table]:
    """A table a stream, at K = 3, of the routers that were counted on it."""
    shares = reference.shares(GROUP[:-1]).filter(pl.col("k") == 3)
    columns = (
        *("router", "reached, %", "pairs, %", "precision, %", "traps, %", "delivered a decision"),
        *("with a time filter", "decisive ones it dropped"),
    )
    tables = []
    for stream in reference.provenance["streams"]:
        found = {Key(row["router"], row["watch"]): row for row in _rows(shares, stream)}
        rows = [
            _row(key, found[key], found[Key(f"{key.router}+time-filter", key.watch)])
            for key in routers(reference)
            if key in found
        ]
        tables.append(Table(f"Stream {stream.upper()}, K = 3", columns, rows))
    return tables


def _rows(shares: pl.DataFrame, stream: str) -> Iterator[dict[str, Any]]:
    return shares.filter(stream=stream).iter_rows(named=True)


def _row(key: Key, plain: dict[str, Any], filtered: dict[str, Any]) -> tuple[str, ...]:
    """A router's shares, and what becomes of them with a time filter around it."""
    named = ("recall", "pair_recall", "precision", "trap_rate")
    return (
        key.told,
        *("–" if plain[name] is None else percent(plain[name]) for name in named),
        f"{plain['delivered']:.2f}",
        f"{filtered['delivered']:.2f}",
        count(filtered["wrongly_dropped"]),
    )
