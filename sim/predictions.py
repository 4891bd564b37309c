"""The paper's four predictions, held against a run: one finding a stream and judge.

- P1: without routing exactly the decisions that should stand are right
- P2: once decisive news is delivered, the switch rate is the same under every router
- P3: a standing decision is kept less often when something misleading was delivered
- P4: under the oracle of related news, errors sit on notices of the wrong time

P1 is an identity, for nobody is asked. What a simulated judge does was put into it: its other
predictions are assumed, not tested. Tests are exact, those of several pairs of routers go through
Holm, at 5 % a judge and prediction; a prediction of equality that is not rejected is not thereby
shown.
"""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sim.comparison import FAMILY_ERROR
from sim.strata import WRONG_TIME
from theory.inference import holm, mcnemar_p_value

Word: TypeAlias = Literal[
    "holds",
    "broken",
    "not contradicted",
    "contradicted",
    "seen",
    "not seen",
    "assumed, not tested",
    "nothing to test it on",
]


class Finding(NamedTuple):
    """What a run says of one prediction for one judge."""

    prediction: str
    """P1 to P4."""
    stream: str
    judge: str
    simulated: bool
    verdict: Word
    evidence: str
    """The figures behind the verdict."""


PREDICTIONS = {
    "P1": "Without routing, exactly the decisions that should stand are right.",
    "P2": "The switch rate once decisive news is delivered is equal across routers.",
    "P3": "Decisions that should stand are kept less often when exposed.",
    "P4": "Under the related oracle, errors sit on notices with the wrong time.",
}

Flags: TypeAlias = NDArray[np.bool_]
_Said: TypeAlias = tuple[Word, str]
_NOTHING: Word = "nothing to test it on"


def predictions(decisions: pl.DataFrame, deliveries: pl.DataFrame) -> list[Finding]:
    """Every prediction's verdict, by stream and judge; frames as in `sim.runs.Run`."""
    found = []
    for (stream, judge, simulated), rows in decisions.partition_by(
        "stream", "judge", "simulated", maintain_order=True, as_dict=True
    ).items():
        routed = deliveries.filter(pl.col("stream") == stream)
        for prediction, (verdict, evidence) in _said(rows, routed).items():
            if simulated and prediction != "P1":
                verdict = "assumed, not tested"
            found.append(
                Finding(prediction, str(stream), str(judge), bool(simulated), verdict, evidence)
            )
    return found


def _said(rows: pl.DataFrame, deliveries: pl.DataFrame) -> dict[str, _Said]:
    return {
        "P1": _alone(rows),
        "P2": _acted_on(rows),
        "P3": _exposed(rows),
        "P4": _mistimed(rows, deliveries),
    }


def _alone(rows: pl.DataFrame) -> _Said:
    alone = rows.filter(pl.col("router") == "none")
    if alone.is_empty():
        return _NOTHING, "the router none was not run"
    right = alone["right"].to_numpy()
    equal = bool((right == (alone["label"].to_numpy() == 0)).all())
    return "holds" if equal else "broken", f"{right.sum():,} of {right.size:,} right, an identity"


def _acted_on(rows: pl.DataFrame) -> _Said:
    """Pairs of routers, on the changing decisions that both brought decisive news to."""
    reached = rows.filter((pl.col("label") == 1) & (pl.col("decisive") > 0)).with_columns(
        switched=pl.col("choice") == "switch"
    )
    routers = _by_router(reached)
    if len(routers) < 2:
        return _NOTHING, "fewer than two routers delivered decisive news"
    pairs = [_both(first, second, "switched") for first, second in combinations(routers, 2)]
    p_values = mcnemar_p_value(
        [int((~pair.first & pair.second).sum()) for pair in pairs],
        [int((pair.first & ~pair.second).sum()) for pair in pairs],
    )
    rates = [float(router["switched"].to_numpy().mean()) for router in routers]
    evidence = (
        f"switch rates {100 * min(rates):.1f} to {100 * max(rates):.1f} % over {len(routers)} "
        f"routers and K, smallest p-value of {len(pairs)} paired tests {p_values.min():.2g}"
    )
    rejected = holm(p_values, FAMILY_ERROR).any()
    return "contradicted" if rejected else "not contradicted", evidence


def _by_router(rows: pl.DataFrame) -> list[pl.DataFrame]:
    return rows.partition_by("router", "k", maintain_order=True)


class _Pair(NamedTuple):
    """What came of the same decisions under two routers."""

    first: Flags
    second: Flags


def _both(first: pl.DataFrame, second: pl.DataFrame, name: str) -> _Pair:
    both = first.join(second, on=("seed", "decision"), suffix="_second")
    return _Pair(both[name].to_numpy(), both[f"{name}_second"].to_numpy())


def _exposed(rows: pl.DataFrame) -> _Said:
    """Pairs of routers, on the standing decisions that the first exposed and the second did not."""
    standing = rows.filter(pl.col("label") == 0).with_columns(kept=pl.col("choice") == "keep")
    pairs = [
        _both(first.filter("exposed"), second.filter(~pl.col("exposed")), "kept")
        for first, second in permutations(_by_router(standing), 2)
    ]
    pairs = [pair for pair in pairs if len(pair.first)]
    if not pairs:
        return _NOTHING, "no standing decision was exposed under one router and not under another"
    lost = np.array([int((~pair.first & pair.second).sum()) for pair in pairs])
    gained = np.array([int((pair.first & ~pair.second).sum()) for pair in pairs])
    p_values = mcnemar_p_value(gained, lost)
    exposed, calm = (np.concatenate(kept).mean() for kept in zip(*pairs, strict=True))
    evidence = (
        f"kept {100 * exposed:.1f} % when exposed, {100 * calm:.1f} % when not; smallest p-value "
        f"of {len(pairs)} paired tests {p_values.min():.2g}"
    )
    seen = (holm(p_values, FAMILY_ERROR) & (lost > gained)).any()
    return "seen" if seen else "not seen", evidence


def _mistimed(rows: pl.DataFrame, deliveries: pl.DataFrame) -> _Said:
    """Standing decisions under the related oracle: with a notice of the wrong time, and without."""
    related = rows.filter((pl.col("router") == "related") & (pl.col("label") == 0))
    if related.is_empty():
        return _NOTHING, "the oracle related was not run"
    keys = ["k", "seed", "decision"]
    wrong = (
        deliveries.filter((pl.col("router") == "related") & pl.col("relation").is_in(WRONG_TIME))
        .select(keys)
        .unique()
        .with_columns(mistimed=True)
    )
    joined = related.join(wrong, on=keys, how="left").with_columns(
        pl.col("mistimed").fill_null(value=False), kept=pl.col("choice") == "keep"
    )
    mistimed, kept = joined["mistimed"].to_numpy(), joined["kept"].to_numpy()
    errors = int((~kept).sum())
    if not errors:
        return _NOTHING, f"no error on {kept.size:,} standing decisions"
    sat = f"{int((mistimed & ~kept).sum()):,} of {errors:,} errors on notices of the wrong time"
    if mistimed.all() or not mistimed.any():
        return _NOTHING, f"{sat}, which every decision got or none"
    p_value = _fewer_kept(mistimed, kept)
    evidence = (
        f"{sat}; kept {100 * kept[mistimed].mean():.1f} % with such a notice, "
        f"{100 * kept[~mistimed].mean():.1f} % without, p-value of an exact test {p_value:.2g}"
    )
    return "seen" if p_value <= FAMILY_ERROR else "not seen", evidence


def _fewer_kept(happened: Flags, kept: Flags) -> float:
    """Fisher's exact test, one-sided: whether fewer are kept of those it happened to."""
    from scipy.stats import fisher_exact

    table = [
        [np.count_nonzero(group & kept), np.count_nonzero(group & ~kept)]
        for group in (happened, ~happened)
    ]
    return float(fisher_exact(table, alternative="less").pvalue)
