"""The reference figures: what each router delivers on our streams, counted over many seeds.

`python -m benchmarks reference` makes `reference.json`, which is kept with the code: README and
report show it and compute nothing. Counts are summed over the seeds; shares follow from them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.files import written_whole
from theory.errors import BadInput

if TYPE_CHECKING:
    import polars as pl

PATH = Path(__file__).with_name("reference.json")

GROUP = ("stream", "router", "watch", "k", "kind")
"""Which row it is: `watch` is the writer of the conditions that the router reads, null where it
reads none; `k` null where the router is unbounded; `kind` how decisive news refers to what a
decision needs, null for decisions of which that cannot be said."""
COUNTS = (
    *("decisions", "changing", "reached", "news", "decisive", "received", "traps", "lures"),
    *("exposed", "dropped", "wrongly_dropped"),
)
"""Decisions; those that should change; those of them that decisive news reached; decisive (notice,
decision) pairs, and those delivered; deliveries; traps delivered, and published; standing decisions
to which anything misleading was delivered; deliveries that a time filter dropped, and the decisive
ones among them."""

CONDITIONS = ("stream", "watch", "news", "news_named", "lures", "lures_named")
"""Decisive (notice, decision) pairs, and those of which the decision's watch conditions name what
the notice is about; the same of traps."""


@dataclass(frozen=True)
class Reference:
    """The figures and where they come from."""

    provenance: Mapping[str, Any]
    """Command, seeds, versions of software and watch writers, SHA-256 of each stream's files."""
    counts: pl.DataFrame
    """`GROUP` and `COUNTS`, a row a stream, router, watch writer, K and kind of reference."""
    conditions: pl.DataFrame
    """`CONDITIONS`, a row a stream and watch writer."""

    def shares(self, by: Sequence[str] = GROUP) -> pl.DataFrame:
        """The counts of all rows alike in `by`, and the shares that follow, null where empty.

        `recall` of changing decisions that decisive news reached, `pair_recall` of decisive pairs,
        `precision`, `trap_rate` of the traps published, `delivered` a decision.
        """
        import polars as pl

        sums = self.counts.group_by(by, maintain_order=True).agg(pl.col(COUNTS).sum())
        return sums.with_columns(
            pl.when(pl.col(whole) > 0).then(pl.col(part) / pl.col(whole)).alias(name)
            for name, (part, whole) in _SHARES.items()
        )


_SHARES = {
    "recall": ("reached", "changing"),
    "pair_recall": ("decisive", "news"),
    "precision": ("decisive", "received"),
    "trap_rate": ("traps", "lures"),
    "delivered": ("received", "decisions"),
}


def write_reference(reference: Reference, path: Path = PATH) -> None:
    """Write the figures: the same bytes for the same figures and provenance."""
    tables = {name: getattr(reference, name).select(columns) for name, columns in _TABLES.items()}
    rows = {name: [json.dumps(row) for row in frame.rows()] for name, frame in tables.items()}
    head = json.dumps({**reference.provenance, "sha256": _hash(rows)}, indent=1)
    parts = [
        f' "{name}": {{\n  "columns": {json.dumps(_TABLES[name])},\n  "rows": [\n'
        + ",\n".join(f"   {line}" for line in lines)
        + "\n  ]\n }"
        for name, lines in rows.items()
    ]
    text = head.removesuffix("\n}") + ",\n" + ",\n".join(parts) + "\n}\n"
    with written_whole(path) as part:
        part.write_text(text, encoding="utf-8")


def read_reference(path: Path = PATH) -> Reference:
    """Read the figures; refuses a file whose rows are not those that it was written with."""
    import polars as pl

    document = json.loads(path.read_text(encoding="utf-8"))
    tables, told = {name: document.pop(name) for name in _TABLES}, document.pop("sha256")
    for name, columns in _TABLES.items():
        if tables[name]["columns"] != list(columns):
            raise BadInput(name, tables[name]["columns"], "must be this version's").at(path)
    rows = {name: [json.dumps(row) for row in it["rows"]] for name, it in tables.items()}
    if _hash(rows) != told:
        raise BadInput("sha256", told, "must be that of the rows").at(path)
    frames = {
        name: pl.DataFrame(
            it["rows"],
            schema={each: pl.String if each in _WORDS else pl.Int64 for each in it["columns"]},
            orient="row",
        )
        for name, it in tables.items()
    }
    return Reference(document, **frames)


_TABLES: Mapping[str, tuple[str, ...]] = {"counts": (*GROUP, *COUNTS), "conditions": CONDITIONS}
_WORDS = {"stream", "router", "watch", "kind"}


def _hash(rows: Mapping[str, Sequence[str]]) -> str:
    lines = "\n".join(line for each in rows.values() for line in each)
    return hashlib.sha256(lines.encode()).hexdigest()
