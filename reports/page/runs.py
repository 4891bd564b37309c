"""A section for each run: who was right, where that comes from, and what each router gained."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import polars as pl

from reports.charts import Drawing
from reports.charts.routers import router_accuracy
from reports.page.figure import Figure, Section, Table, table
from reports.page.numbers import count, percent, plural, quantity
from reports.run_folder import SavedRun
from sim.measures import factorisation
from sim.runs import KEYS
from theory import Factorisation, gain

_PAIR = ["judge", "k"]


class _Episode(NamedTuple):
    """One episode's rates, exact."""

    router: str
    judge: str
    k: int
    rates: Factorisation
    right: Fraction
    """Measured accuracy."""


def run_section(saved: SavedRun, number: int) -> Section:
    """The section of the `number`-th run on the page, counted from 1."""
    measures = saved.run.measures()
    shown = measures.with_columns(
        router=_with(pl.col("router"), "gold"), judge=_with(pl.col("judge"), "simulated")
    )
    episodes = list(_episodes(saved.run.decisions))
    stream = str(measures["stream"][0])
    return Section(
        id=f"run-{number}",
        title=f"The run {saved.name}: routers and judges on {stream}",
        short=f"Run {saved.name}",
        lead=_lead(measures, saved),
        figures=[
            Figure(
                id=f"run-{number}-accuracy",
                drawings=list(_drawings(shown, episodes)),
                says=(
                    f"Line: {percent(float(1 - episodes[0].rates.pi))} of decisions should stand, "
                    "the accuracy of fresh evidence without any news. Dots: accuracy, with exact "
                    f"95 % limits over {plural(int(measures['decisions'][0]), 'decision')}."
                ),
                tables=[_measures_table(shown)],
            ),
            Figure(
                id=f"run-{number}-factorisation",
                drawings=[],
                says=_says(episodes),
                tables=[_rates_table(episodes, shown), *_gains(episodes, shown)],
            ),
        ],
    )


def _with(name: pl.Expr, mark: str) -> pl.Expr:
    """A name followed by a mark, where the column of that name says so."""
    return pl.when(pl.col(mark)).then(name + f" ({mark})").otherwise(name)


def _episodes(decisions: pl.DataFrame) -> Iterator[_Episode]:
    for rows in decisions.partition_by(KEYS, maintain_order=True):
        first = rows.row(0, named=True)
        right = Fraction(int(rows["right"].sum()), rows.height)
        yield _Episode(first["router"], first["judge"], first["k"], factorisation(rows), right)


def _lead(measures: pl.DataFrame, saved: SavedRun) -> str:
    """The best router without gold for each judge, and which judges are simulated."""
    best = [
        f"{row['router']} with {row['judge']}{' (simulated)' if row['simulated'] else ''} "
        f"({percent(row['accuracy'])})"
        for row in measures.filter(~pl.col("gold"))
        .sort("accuracy", descending=True, maintain_order=True)
        .unique("judge", keep="first", maintain_order=True)
        .iter_rows(named=True)
    ]
    words = f"Right most often, without gold: {', '.join(best)}. " if best else ""
    simulated = dict(saved.manifest.get("simulated_judges", {}))
    if simulated:
        sources = " ".join(f"{name.capitalize()}: {source}" for name, source in simulated.items())
        words += f"Simulated judges answer at given rates, assumed and not measured. {sources} "
    return words.rstrip()


def _drawings(shown: pl.DataFrame, episodes: list[_Episode]) -> Iterator[Drawing]:
    standing = float(1 - episodes[0].rates.pi)
    several = shown["k"].n_unique() > 1
    for rows in shown.partition_by(_PAIR, maintain_order=True):
        judge, k = rows["judge"][0], rows["k"][0]
        title = f"judge {judge}, K = {k}" if several else f"judge {judge}"
        yield router_accuracy(rows, standing=standing, title=title)


def _measures_table(shown: pl.DataFrame) -> Table:
    rows = shown.with_columns(
        _range("accuracy"), _range("keep"), trapped=pl.format("{} of {}", "traps", "lures")
    )
    return table(
        rows,
        "Measures by router and judge",
        {
            "router": ("router", str),
            "judge": ("judge", str),
            "k": ("K", str),
            "accuracy": ("accuracy", percent),
            "accuracy_range": ("95 % limits", str),
            "recall": ("recall", percent),
            "pair_recall": ("of pairs", percent),
            "precision": ("precision", percent),
            "switch": ("switch, delivered", percent),
            "lapse": ("switch, not delivered", percent),
            "keep": ("keep", percent),
            "keep_range": ("95 % limits", str),
            "keep_exposed": ("keep, exposed", percent),
            "trapped": ("traps", str),
            "delivered": ("delivered a decision", quantity),
            "input_tokens": ("input tokens a decision", quantity),
            "missed": ("deadline missed", percent),
        },
    )


def _range(name: str) -> pl.Expr:
    """A share's limits in per cent; null where there are none."""
    low, high = (100 * pl.col(f"{name}_{end}").round(3) for end in ("low", "high"))
    return pl.format("{}–{}", low.round(1), high.round(1)).alias(f"{name}_range")


def _says(episodes: list[_Episode]) -> str:
    equal = sum(episode.rates.accuracy == episode.right for episode in episodes)
    return (
        "A = (1 − π) K + π (ρ S + (1 − ρ) L) of the five measured rates is the measured accuracy "
        f"to the last digit in {count(equal)} of {plural(len(episodes), 'episode')}; a gain is the "
        "exact sum of its three terms."
    )


def _rates_table(episodes: list[_Episode], shown: pl.DataFrame) -> Table:
    # From the measures, where the rate of an empty cell is null and not 0.
    rows = shown.with_columns(
        pi=pl.Series([float(episode.rates.pi) for episode in episodes]),
        factorised=pl.Series([float(episode.rates.accuracy) for episode in episodes]),
        equal=pl.Series([_equal(episode) for episode in episodes]),
    )
    return table(
        rows,
        "The factorisation of each episode",
        {
            "router": ("router", str),
            "judge": ("judge", str),
            "k": ("K", str),
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


def _equal(episode: _Episode) -> str:
    return "yes" if episode.rates.accuracy == episode.right else "NO"


def _gains(episodes: list[_Episode], shown: pl.DataFrame) -> Iterator[Table]:
    """What each router gained over the first, by judge and K."""
    first = episodes[0].router
    bases = {(e.judge, e.k): e for e in episodes if e.router == first}
    names = shown.select("router", "judge", "k").rows()
    rows = []
    for episode, named in zip(episodes, names, strict=True):
        if episode.router != first:
            split = gain(bases[episode.judge, episode.k].rates, episode.rates)
            rows.append((*named, *map(float, (split.total, *split))))
    if not rows:
        return
    schema = ["router", "judge", "k", "total", "routing", "exposure", "judgment"]
    yield table(
        pl.DataFrame(rows, schema=schema, orient="row"),
        f"Gain over {first}",
        {
            "router": ("router", str),
            "judge": ("judge", str),
            "k": ("K", str),
            "total": ("gain", _points),
            "routing": ("by routing", _points),
            "exposure": ("by exposure", _points),
            "judgment": ("by judgment", _points),
        },
    )


def _points(difference: float) -> str:
    """A difference of two shares in percentage points."""
    return f"{100 * difference:+.1f}".replace("-", "−")
