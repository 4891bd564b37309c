"""The sections of a run, one a stream: who was right, why, and what each router gained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from reports.charts import Drawing
from reports.charts.routers import (
    kept_by_delivered,
    router_accuracy,
    router_reach,
    switches_by_recall,
)
from reports.model_calls import source_line
from reports.page.figure import Figure, Section
from reports.page.numbers import count, percent, plural, verb
from reports.page.run_tables import (
    Episode,
    beside_paper,
    depth_table,
    episodes_of,
    gains_table,
    holds,
    judges_table,
    measures_table,
    predictions_table,
    rates_table,
    reach_table,
    references_table,
    risk_table,
    shown,
    tests_table,
    timing_table,
)
from reports.run_folder import SavedRun
from reports.tables import TABLES
from reports.tables.figures import Figures, figures_beside
from sim.comparison import FAMILY_ERROR
from sim.predictions import PREDICTIONS
from sim.risk_shares import risk_shares
from sim.runs import Run
from theory.inference import binomial_limits

_MAIN_K = 3
"""The K that charts show where it was run: the paper's."""


def run_sections(saved: SavedRun, number: int) -> Iterator[Section]:
    """The sections of the `number`-th run on the page, counted from 1."""
    for stream in saved.run.decisions["stream"].unique(maintain_order=True):
        yield _section(replace(saved, run=_of_stream(saved.run, stream)), stream, number)


def _of_stream(run: Run, stream: str) -> Run:
    only = pl.col("stream") == stream
    return replace(
        run,
        decisions=run.decisions.filter(only),
        deliveries=run.deliveries.filter(only),
        calls=run.calls.filter(only),
        log=None if run.log is None else run.log.filter(only),
    )


def _section(saved: SavedRun, stream: str, number: int) -> Section:
    run = saved.run
    results, episodes = TABLES["results"](run), episodes_of(run.decisions)
    anchor, figures = f"run-{number}-{stream}", _paper(run, stream)
    return Section(
        id=anchor,
        title=f"Routers and judges on {stream.upper()}, in the run {saved.name}",
        short=f"{stream.upper()} ({saved.name})",
        lead=_lead(results, saved),
        figures=[
            _accuracy(anchor, results, episodes, run, figures),
            _reach(anchor, run, figures),
            _rates(anchor, results, episodes, run),
            _factorisation(anchor, results, episodes),
            _predictions(anchor, run),
            *([] if run.log is None else [_risk(anchor, run.log)]),
        ],
    )


def _lead(results: pl.DataFrame, saved: SavedRun) -> str:
    """The best router without gold for each judge, and which judges are simulated."""
    best = [
        f"{row['router']} with {row['judged']} ({percent(row['accuracy'])})"
        for row in shown(results)
        .filter(~pl.col("gold"))
        .sort("accuracy", descending=True, maintain_order=True)
        .unique("judge", keep="first", maintain_order=True)
        .iter_rows(named=True)
    ]
    words = f"Right most often, without gold: {', '.join(best)}. " if best else ""
    simulated = dict(saved.manifest["simulated_judges"])
    if simulated:
        sources = " ".join(f"{name.capitalize()}: {source}" for name, source in simulated.items())
        words += f"Simulated judges answer at given rates, assumed and not measured. {sources} "
    for source in saved.manifest["models"]:
        words += f"{source_line(source)}. "
    return words.rstrip()


def _main(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows at the K that charts show."""
    ks = frame["k"].unique().sort()
    return frame.filter(pl.col("k") == (_MAIN_K if _MAIN_K in ks else ks[0]))


def _paper(run: Run, stream: str) -> Figures:
    """The paper's figures, where the stream is as large and as balanced as the paper's."""
    first = run.decisions.row(0, named=True)
    mine = (pl.col(name) == first[name] for name in ("seed", "router", "k", "judge"))
    labels = run.decisions.filter(*mine)["label"]
    return figures_beside(stream, len(labels), int((labels == 0).sum()))


def _accuracy(
    anchor: str, results: pl.DataFrame, episodes: list[Episode], run: Run, figures: Figures
) -> Figure:
    standing = float(1 - episodes[0].rates.pi)
    charted = shown(beside_paper(_main(results), "accuracy", figures))
    drawings = [
        router_accuracy(
            rows,
            standing=standing,
            title=f"judge {rows['judged'][0]}",
        )
        for rows in charted.partition_by("judge", maintain_order=True)
    ]
    seeds = run.decisions["seed"].n_unique()
    several = f" of {plural(seeds, 'stream')} with seeds of their own" if seeds > 1 else ""
    return Figure(
        id=f"{anchor}-accuracy",
        drawings=drawings,
        says=(
            f"Line: {percent(standing)} of decisions should stand, the accuracy of fresh evidence "
            f"without any news. Dots: accuracy at K = {_main(results)['k'][0]}, with exact 95 % "
            f"limits over {plural(int(results['decisions'][0]), 'decision')}{several}; open dots "
            "behind the time filter. Grey ticks: what the paper reports, with the judge that the "
            "table names; “outside” marks ours where it lies outside the exact 95 % limits of "
            f"the paper’s count.{_reading(_main(results))}"
        ),
        tables=[measures_table(results, figures)],
    )


def _reading(results: pl.DataFrame) -> str:
    """How much more a judge reads under broadcast, where both routers were run."""
    read = dict(results.select("router", "input_tokens").rows())
    every, some = (read.get(router) for router in ("broadcast", "bm25-text"))
    if not every or not some:
        return ""
    return f" Broadcast gives a judge {every / some:.1f} times the tokens that bm25-text does."


def _reach(anchor: str, run: Run, figures: Figures) -> Figure:
    reach, depth = TABLES["reach"](run), TABLES["depth"](run)
    drawings: list[Drawing] = []
    if not reach.is_empty():
        charted = shown(beside_paper(_main(reach), "recall", figures))
        drawings = [
            router_reach(rows, title=f"named by {rows['kind'][0]}")
            for rows in charted.partition_by("kind", maintain_order=True)
        ]
    says = (
        "What an index reaches: of the decisions that should change, how many got decisive news, "
        "by what that names; exact 95 % limits."
        if drawings
        else "Changing decisions that got decisive news; the stream tells no kinds of reference."
    )
    news = references_table(TABLES["references"](run))
    by_k = depth_table(depth, figures)
    tables = [reach_table(reach, figures), by_k, news] if drawings else [by_k]
    return Figure(id=f"{anchor}-reach", drawings=drawings, says=says, tables=tables)


def _rates(anchor: str, results: pl.DataFrame, episodes: list[Episode], run: Run) -> Figure:
    changing_share = float(episodes[0].rates.pi)
    charted = shown(_main(results)).with_columns(
        judge="judged", changing=(changing_share * pl.col("decisions")).round().cast(pl.Int64)
    )
    changing = charted.filter(pl.col("changing") > 0)
    standing = charted.filter(pl.col("keep").is_not_null())
    judges = TABLES["judges"](run)
    drawings = []
    if not changing.is_empty():
        drawings.append(switches_by_recall(*_switches(changing)))
    if not standing.is_empty():
        drawings.append(kept_by_delivered(standing))
    return Figure(
        id=f"{anchor}-rates",
        drawings=drawings,
        says=(
            "Left: a judge that acts on whatever decisive news it gets lies on its line, "
            "ρ S + (1 − ρ) L with its own rates over all routers. Right: what is kept of the "
            "decisions that should stand, the more is delivered. Exact 95 % limits; a router has "
            "its colour of the charts above. Tests are exact, with Holm at "
            f"{percent(FAMILY_ERROR)} over all pairs. Judges read the same decisions: what is "
            "pooled over them is no sample of as many, and its p-value too small."
        ),
        tables=[
            tests_table(TABLES["tests"](run)),
            *([] if judges.is_empty() else [judges_table(judges)]),
        ],
    )


def _switches(results: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Needed switches made by each episode, with limits, and the ends of each judge's line."""
    # The rate of an empty cell is null, and its weight 0.
    reached = pl.col("recall") * pl.col("changing")
    weights = results.with_columns(
        reached=reached,
        unreached=pl.col("changing") - reached,
        acted=reached * pl.col("switch").fill_null(0.0),
        lapsed=(pl.col("changing") - reached) * pl.col("lapse").fill_null(0.0),
    )
    rows = weights.with_columns(made=(pl.col("acted") + pl.col("lapsed")) / pl.col("changing"))
    changing = rows["changing"].to_numpy()
    low, high = binomial_limits((rows["made"].to_numpy() * changing).round(), changing)
    lines = [
        {"judge": judge, "recall": recall, "made": made / of if of else 0.0}
        for judge, reached, unreached, acted, lapsed in weights.group_by(
            "judge", maintain_order=True
        )
        .agg(pl.col("reached", "unreached", "acted", "lapsed").sum())
        .iter_rows()
        for recall, made, of in ((0.0, lapsed, unreached), (1.0, acted, reached))
    ]
    return rows.with_columns(made_low=pl.Series(low), made_high=pl.Series(high)), pl.DataFrame(
        lines
    )


def _factorisation(anchor: str, results: pl.DataFrame, episodes: list[Episode]) -> Figure:
    equal = sum(map(holds, episodes))
    return Figure(
        id=f"{anchor}-factorisation",
        drawings=[],
        says=(
            "A = (1 − π) K + π (ρ S + (1 − ρ) L) of the five measured rates is the measured "
            f"accuracy to the last digit in {count(equal)} of {plural(len(episodes), 'episode')}; "
            "a gain is the exact sum of its three terms, in percentage points."
        ),
        tables=[rates_table(episodes, results), gains_table(episodes, results)],
    )


def _risk(anchor: str, log: pl.DataFrame) -> Figure:
    shares = risk_shares(log)
    return Figure(
        id=f"{anchor}-risk",
        drawings=[],
        says=(
            "Stale: a fact had changed, and the news of it was out, when the decision was made. "
            "Recoverable: the news came while it could be revised. Late: it came after. Exact 99 % "
            f"limits; {verb(int(shares['rejected'].sum()), 'is', 'are')} rejected."
        ),
        tables=[risk_table(shares)],
    )


def _predictions(anchor: str, run: Run) -> Figure:
    said = " ".join(f"{name}: {words}" for name, words in PREDICTIONS.items())
    oracle = TABLES["timing"](run).filter(pl.col("router") == "related")
    return Figure(
        id=f"{anchor}-predictions",
        drawings=[],
        says=f"{said} What a simulated judge does was put into it.",
        tables=[
            predictions_table(TABLES["predictions"](run)),
            *([] if oracle.is_empty() else [timing_table(oracle)]),
        ],
    )
