"""The tables by name, each a pure function of a run.

Streams of several seeds are pooled: their decisions are other ones. What no judge has a part in is
told once, not for every judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from sim.comparison import compare, compare_judges
from sim.measures import measure
from sim.predictions import Finding
from sim.predictions import predictions as hold_predictions
from sim.runs import Run
from sim.strata import EPISODE, by_news, by_reference, by_time

_ROUTED = ("stream", "router", "k", "gold")


def results(run: Run) -> pl.DataFrame:
    """Every measure of each router and judge (the paper's Tables 2, 3, 8 and 11)."""
    return measure(run.decisions, by=EPISODE)


def reach(run: Run) -> pl.DataFrame:
    """Recall of changing decisions by kind of reference (Figure 3, Table 10)."""
    columns = (*_ROUTED, "kind", "decisions", "recall", "recall_low", "recall_high")
    changing = by_reference(_once(run)).filter(pl.col("label") == 1, pl.col("kind").is_not_null())
    return changing.select(columns)


def depth(run: Run) -> pl.DataFrame:
    """Recall, precision and traps by K (Table 10)."""
    measured = measure(_once(run), by=_ROUTED)
    return measured.select(
        *_ROUTED, "recall", "recall_low", "recall_high", "precision", "delivered", "traps", "lures"
    )


def timing(run: Run) -> pl.DataFrame:
    """How decisions fared by where in time the news that they got lies (Table 4)."""
    return by_time(run.decisions, run.deliveries).select(
        *EPISODE, "time", "decisions", "right", "correct", "low", "high"
    )


def references(run: Run) -> pl.DataFrame:
    """How decisions fared by kind of reference and the related news that they got (Table 6)."""
    return by_news(run.decisions, run.deliveries)


def tests(run: Run) -> pl.DataFrame:
    """Exact McNemar tests of all pairs of routers (Table 8)."""
    return compare(run.decisions)


def judges(run: Run) -> pl.DataFrame:
    """Exact McNemar tests of all pairs of judges that read texts, a model's two modes too."""
    return compare_judges(run.decisions)


def predictions(run: Run) -> pl.DataFrame:
    """The paper's four predictions, held against the run."""
    found = hold_predictions(run.decisions, run.deliveries)
    return pl.DataFrame(found, schema=list(Finding._fields), orient="row")


def _once(run: Run) -> pl.DataFrame:
    """The decisions of one judge for each stream, router and K."""
    first = run.decisions.select(*_ROUTED, "judge").unique(
        list(_ROUTED), keep="first", maintain_order=True
    )
    return run.decisions.join(first, on=[*_ROUTED, "judge"], how="semi", maintain_order="left")


TABLES: Mapping[str, Callable[[Run], pl.DataFrame]] = {
    "results": results,
    "reach": reach,
    "depth": depth,
    "timing": timing,
    "references": references,
    "tests": tests,
    "judges": judges,
    "predictions": predictions,
}
"""How each table is made of a run."""
