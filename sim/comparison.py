"""Two routers, judges or runs on the same decisions: exact McNemar, with Holm.

Only decisions that one of the two gets right and the other does not can tell them apart. Judges
read the same decisions, so that what is pooled over them is no sample of as many decisions: its
p-value is too small by as much as judges err alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from theory.inference import holm, mcnemar_p_value

FAMILY_ERROR = 0.05
"""Chance of any false alarm over all pairs compared at once."""
POOLED = "all judges"
"""The judge of a row pooled over several that are all simulated, or all not: the two never mix."""
_DECISION = ("seed", "decision")
"""What tells a decision of a stream: streams of other seeds have other decisions."""


def compare(
    decisions: pl.DataFrame, *, pairs: Sequence[tuple[str, str]] | None = None
) -> pl.DataFrame:
    """A row a stream, k, pair of routers and judge; and one over all judges, where several are.

    `decisions` is `sim.runs.Run.decisions`; `pairs` are all there are unless given. Columns
    `stream`, `k`, `first`, `second`, `judge`, `simulated`, `decisions` that both met, `gained`
    (only the second is right), `lost` (only the first), `p_value`, and `rejected`, by Holm over all
    rows.
    """
    rows: list[dict[str, Any]] = []
    for (stream, k), group in _by(decisions, "stream", "k"):
        routers = group["router"].unique(maintain_order=True).to_list()
        right = {
            tuple(map(str, episode)): frame.select(*_DECISION, "right")
            for episode, frame in _by(group, "router", "judge")
        }
        judges = group.select("judge", "simulated").unique(maintain_order=True).rows()
        for first, second in pairs or combinations(routers, 2):
            pair = {"stream": stream, "k": k, "first": first, "second": second}
            for simulated in (False, True):
                met = [
                    {"judge": judge, **_discordant(right[first, judge], right[second, judge])}
                    for judge, drawn in judges
                    if drawn is simulated and {(first, judge), (second, judge)} <= right.keys()
                ]
                rows += [{**pair, "simulated": simulated, **row} for row in [*met, *_pooled(met)]]
    return _tested(pl.DataFrame(rows, schema=_SCHEMA))


def compare_judges(decisions: pl.DataFrame) -> pl.DataFrame:
    """A row a stream, k, router and pair of judges that read texts: simulated ones are left out.

    So are a model's two ways to judge held against each other. Columns `stream`, `k`, `router`,
    `gold`, `first`, `second`, `decisions`, `gained`, `lost`, `p_value`, and `rejected`, by Holm
    over all rows.
    """
    rows: list[dict[str, Any]] = []
    reading = decisions.filter(~pl.col("simulated"))
    for (stream, k, router, gold), group in _by(reading, "stream", "k", "router", "gold"):
        right = {judge: frame for (judge,), frame in _by(group, "judge")}
        for first, second in combinations(right, 2):
            episode = {"stream": stream, "k": k, "router": router, "gold": gold}
            counted = _discordant(right[first], right[second])
            rows.append({**episode, "first": first, "second": second, **counted})
    return _tested(pl.DataFrame(rows, schema=_JUDGES))


def compare_runs(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """What changed between two runs: a row an episode that both have, paired by decision.

    Both are decisions of `sim.runs.Run`. Columns `stream`, `router`, `k`, `judge`, `gold`,
    `simulated`, `decisions` that both met, `before` and `after` (shares that are right), `gained`,
    `lost`, `p_value`, and `rejected`, by Holm over all rows.
    """
    columns = [*_EPISODE, "gold", "simulated"]
    both = before.select(*columns, *_DECISION, "right").join(
        after.select(*_EPISODE, *_DECISION, "right"),
        on=[*_EPISODE, *_DECISION],
        suffix="_after",
        maintain_order="left",
    )
    right, later = pl.col("right"), pl.col("right_after")
    return _tested(
        both.group_by(columns, maintain_order=True).agg(
            decisions=pl.len().cast(pl.Int64),
            before=right.mean(),
            after=later.mean(),
            gained=(~right & later).sum().cast(pl.Int64),
            lost=(right & ~later).sum().cast(pl.Int64),
        )
    )


_EPISODE = ("stream", "router", "k", "judge")


def _tested(frame: pl.DataFrame) -> pl.DataFrame:
    """With `p_value` and `rejected`, by Holm over all rows."""
    p_values = mcnemar_p_value(frame["gained"].to_numpy(), frame["lost"].to_numpy())
    return frame.with_columns(
        p_value=pl.Series(p_values), rejected=pl.Series(holm(p_values, FAMILY_ERROR))
    )


_JUDGES = {
    "stream": pl.String,
    "k": pl.Int64,
    "router": pl.String,
    "gold": pl.Boolean,
    "first": pl.String,
    "second": pl.String,
    "decisions": pl.Int64,
    "gained": pl.Int64,
    "lost": pl.Int64,
}
_SCHEMA = {
    "stream": pl.String,
    "k": pl.Int64,
    "first": pl.String,
    "second": pl.String,
    "judge": pl.String,
    "simulated": pl.Boolean,
    "decisions": pl.Int64,
    "gained": pl.Int64,
    "lost": pl.Int64,
}


def _by(frame: pl.DataFrame, *columns: str) -> list[tuple[tuple[object, ...], pl.DataFrame]]:
    return list(frame.partition_by(columns, maintain_order=True, as_dict=True).items())


def _discordant(first: pl.DataFrame, second: pl.DataFrame) -> dict[str, int]:
    both = first.join(second, on=_DECISION, suffix="_second")
    a, b = both["right"], both["right_second"]
    return {"decisions": both.height, "gained": int((~a & b).sum()), "lost": int((a & ~b).sum())}


def _pooled(met: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The sums over several judges."""
    counts = ("decisions", "gained", "lost")
    summed = {name: sum(row[name] for row in met) for name in counts}
    return [{"judge": POOLED, **summed}] if len(met) > 1 else []
