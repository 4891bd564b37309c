"""The tables of a run's section, from frames to text."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import polars as pl

from reports.page.figure import Formats, Table, table
from reports.page.numbers import count, p_value, percent, quantity, share
from reports.tables.figures import Figures
from sim.measures import factorisation
from sim.strata import EPISODE
from theory import Factorisation, gain

EPISODE_FORMATS: Formats = {
    "shown": ("router", str),
    "judged": ("judge", str),
    "k": ("K", str),
}
"""The columns that every table of episodes begins with."""


class Episode(NamedTuple):
    """One router, K and judge on one stream, exact."""

    router: str
    judge: str
    k: int
    rates: Factorisation
    right: Fraction
    """Measured accuracy."""


def episodes_of(decisions: pl.DataFrame) -> list[Episode]:
    """The episodes of one stream, in the order of the frame; seeds are pooled."""
    found = []
    for rows in decisions.partition_by(EPISODE, maintain_order=True):
        first = rows.row(0, named=True)
        right = Fraction(int(rows["right"].sum()), rows.height)
        rates = factorisation(rows)
        found.append(Episode(first["router"], first["judge"], first["k"], rates, right))
    return found


def shown(frame: pl.DataFrame) -> pl.DataFrame:
    """With `shown` and `judged`: names of routers and judges, oracles and simulated ones marked."""
    marks = {"shown": ("router", "gold"), "judged": ("judge", "simulated")}
    return frame.with_columns(
        pl.when(pl.col(mark)).then(pl.col(name) + f" ({mark})").otherwise(name).alias(column)
        for column, (name, mark) in marks.items()
        if {name, mark} <= set(frame.columns)
    )


def beside_paper(frame: pl.DataFrame, measure: str, figures: Figures) -> pl.DataFrame:
    """With `paper`, `model` and `outside`: the paper's figure of the same stream, router and K.

    `outside` is the word for ours where it lies outside the exact 95 % limits of the paper's count.
    """
    found = [
        figures.get((row["stream"], row["router"], row["k"], measure, row.get("kind")))
        for row in frame.iter_rows(named=True)
    ]
    outside = [
        "outside" if figure and ours is not None and not figure.allows(ours) else None
        for figure, ours in zip(found, frame[measure], strict=True)
    ]
    return frame.with_columns(
        paper=pl.Series([f and f.share for f in found], dtype=pl.Float64),
        model=pl.Series([f and f.model for f in found], dtype=pl.String),
        outside=pl.Series(outside, dtype=pl.String),
    )


def measures_table(results: pl.DataFrame, figures: Figures) -> Table:
    """Every measure of each router and judge, beside the paper's accuracy."""
    rows = shown(beside_paper(results, "accuracy", figures)).with_columns(
        _range("accuracy"), _range("keep"), trapped=pl.format("{} of {}", "traps", "lures")
    )
    return table(
        rows,
        "Measures by router and judge; the best without gold in bold",
        {
            **EPISODE_FORMATS,
            "accuracy": ("accuracy", percent),
            "accuracy_range": ("95 % limits", str),
            "paper": ("the paper’s", percent),
            "model": ("with", str),
            "outside": ("ours", str),
            "recall": ("recall", percent),
            "pair_recall": ("of pairs", percent),
            "precision": ("precision", percent),
            "switch": ("switch, delivered", percent),
            "lapse": ("switch, not delivered", percent),
            "keep": ("keep", percent),
            "keep_range": ("95 % limits", str),
            "keep_exposed": ("keep, exposed", percent),
            "keep_calm": ("keep, not exposed", percent),
            "trapped": ("traps", str),
            "delivered": ("delivered a decision", quantity),
            "input_tokens": ("input tokens a decision", quantity),
            "missed": ("deadline missed", percent),
            **(_OF_MODELS if results["judge"].str.contains("/", literal=True).any() else {}),
        },
        muted=["the paper’s", "with"],
        strong=_best(rows),
    )


def _best(rows: pl.DataFrame) -> set[int]:
    """The rows of the best routers without gold, for each judge and K."""
    able = rows.with_row_index("row").filter(~pl.col("gold"))
    most = pl.col("accuracy").max().over("judge", "k")
    return set(able.filter(pl.col("accuracy") == most)["row"])


_OF_MODELS: Formats = {
    "invalid": ("invalid answers", percent),
    "answered_accuracy": ("accuracy without them", percent),
}
"""Columns for judges that ask models; their names have a slash."""


def reach_table(reach: pl.DataFrame, figures: Figures) -> Table:
    """Recall by kind of reference, beside the paper's."""
    rows = shown(beside_paper(reach, "recall", figures)).with_columns(_range("recall"))
    return table(
        rows,
        "Routing recall by kind of reference",
        {
            "shown": ("router", str),
            "k": ("K", str),
            "kind": ("named by", str),
            "decisions": ("should change", count),
            "recall": ("recall", percent),
            "recall_range": ("95 % limits", str),
            "paper": ("the paper’s", percent),
            "outside": ("ours", str),
        },
        muted=["the paper’s"],
    )


def depth_table(depth: pl.DataFrame, figures: Figures) -> Table:
    """Recall and traps by K, beside the paper's."""
    rows = shown(beside_paper(depth, "recall", figures)).with_columns(
        _range("recall"), trapped=pl.format("{} of {}", "traps", "lures")
    )
    return table(
        rows,
        "Recall, precision and traps by K",
        {
            "shown": ("router", str),
            "k": ("K", str),
            "recall": ("recall", percent),
            "recall_range": ("95 % limits", str),
            "paper": ("the paper’s", percent),
            "outside": ("ours", str),
            "precision": ("precision", percent),
            "trapped": ("traps", str),
            "delivered": ("delivered a decision", quantity),
        },
        muted=["the paper’s"],
    )


def timing_table(timing: pl.DataFrame) -> Table:
    """By where in time the news lies that a decision got."""
    rows = shown(timing).with_columns(
        _range_of("low", "high"),
        should=pl.when(time="during").then(pl.lit("switch")).otherwise(pl.lit("keep")),
    )
    return table(
        rows,
        "Right decisions by where in time their news lies",
        {
            **EPISODE_FORMATS,
            "time": ("the change", str),
            "should": ("should", str),
            "decisions": ("decisions", count),
            "correct": ("right", percent),
            "range": ("95 % limits", str),
        },
    )


def references_table(references: pl.DataFrame) -> Table:
    """By kind of reference and the related news that a decision got."""
    rows = shown(references).with_columns(
        _range_of("low", "high"),
        should=pl.when(pl.col("label") == 1).then(pl.lit("switch")).otherwise(pl.lit("keep")),
    )
    return table(
        rows,
        "Right decisions by kind of reference and news received",
        {
            **EPISODE_FORMATS,
            "kind": ("named by", str),
            "should": ("should", str),
            "news": ("related news received", str),
            "decisions": ("decisions", count),
            "correct": ("right", percent),
            "range": ("95 % limits", str),
        },
    )


def risk_table(shares: pl.DataFrame) -> Table:
    """Where the first change of each decision's facts fell."""
    return table(
        shares,
        "Where the first change fell, and its news",
        {
            "share": ("share", str),
            "trials": ("trials", count),
            "predicted": ("predicted", share),
            "measured": ("measured", share),
            "low": ("low", share),
            "high": ("high", share),
            "p_value": ("p-value", p_value),
        },
    )


def tests_table(tests: pl.DataFrame) -> Table:
    """Exact McNemar tests."""
    rows = shown(tests.with_columns(gold=False))
    return table(
        rows,
        "Two routers on the same decisions: exact McNemar tests",
        {
            "first": ("router", str),
            "second": ("against", str),
            "k": ("K", str),
            "judged": ("judge", str),
            "decisions": ("decisions", count),
            "gained": ("right only in the second", count),
            "lost": ("only in the first", count),
            "p_value": ("p-value", p_value),
            "rejected": ("by Holm", differ),
        },
    )


def judges_table(tests: pl.DataFrame) -> Table:
    """Exact McNemar tests of judges."""
    return table(
        shown(tests),
        "Two judges on the same decisions: exact McNemar tests",
        {
            "first": ("judge", str),
            "second": ("against", str),
            "shown": ("router", str),
            "k": ("K", str),
            "decisions": ("decisions", count),
            "gained": ("right only in the second", count),
            "lost": ("only in the first", count),
            "p_value": ("p-value", p_value),
            "rejected": ("by Holm", differ),
        },
    )


def differ(rejected: bool) -> str:
    """The verdict of a test of two episodes."""
    return "differ" if rejected else "not told apart"


def predictions_table(predictions: pl.DataFrame) -> Table:
    """The verdict on each prediction."""
    return table(
        shown(predictions.with_columns(gold=False)),
        "The paper’s predictions, by judge",
        {
            "prediction": ("prediction", str),
            "judged": ("judge", str),
            "verdict": ("verdict", str),
            "evidence": ("evidence", str),
        },
        prose=["evidence"],
    )


def rates_table(episodes: list[Episode], results: pl.DataFrame) -> Table:
    """The five rates of each episode, and whether their accuracy is the measured one."""
    # Rates from the measures, where that of an empty cell is null and not 0.
    rows = shown(results).with_columns(
        pi=pl.Series([float(episode.rates.pi) for episode in episodes]),
        factorised=pl.Series([float(episode.rates.accuracy) for episode in episodes]),
        equal=pl.Series(["yes" if holds(episode) else "NO" for episode in episodes]),
    )
    return table(
        rows,
        "The factorisation of each episode",
        {
            **EPISODE_FORMATS,
            "pi": ("should change, π", percent),
            "recall": ("recall, ρ", percent),
            "switch": ("switch, delivered, S", percent),
            "lapse": ("switch, not delivered, L", percent),
            "keep": ("keep, K", percent),
            "factorised": ("their accuracy, A", percent),
            "accuracy": ("measured", percent),
            "equal": ("equal", str),
        },
    )


def holds(episode: Episode) -> bool:
    """Whether the factorisation gives the measured accuracy to the last digit."""
    return episode.rates.accuracy == episode.right


def gains_table(episodes: list[Episode], results: pl.DataFrame) -> Table:
    """What each router gained over the first, by judge and K; no rows if there is but one."""
    first = episodes[0].router
    bases = {(e.judge, e.k): e for e in episodes if e.router == first}
    names = shown(results).select(*EPISODE_FORMATS).rows()
    rows: list[tuple[Any, ...]] = []
    for episode, named in zip(episodes, names, strict=True):
        if episode.router != first:
            split = gain(bases[episode.judge, episode.k].rates, episode.rates)
            rows.append((*named, *map(float, (split.total, *split))))
    terms: dict[str, tuple[str, Callable[[Any], str]]] = {
        "total": ("gain", _points),
        "routing": ("by routing", _points),
        "exposure": ("by exposure", _points),
        "judgment": ("by judgment", _points),
    }
    schema = [*EPISODE_FORMATS, *terms]
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return table(frame, f"Gain over {first}", {**EPISODE_FORMATS, **terms})


def _points(difference: float) -> str:
    """A difference of two shares in percentage points."""
    return f"{100 * difference:+.1f}".replace("-", "−")


def _range(name: str) -> pl.Expr:
    """A share's limits in per cent; null where there are none."""
    return _range_of(f"{name}_low", f"{name}_high").alias(f"{name}_range")


def _range_of(low: str, high: str) -> pl.Expr:
    ends = ((100 * pl.col(end)).round(1) for end in (low, high))
    return pl.format("{}–{}", *ends).alias("range")
