"""An episode held against gold: what each decision should have become, and what reached it."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from sim.episode import Episode
from sim.streams.stream import RELATED, Gold

MISLEADING = (*(relation for relation in RELATED if relation != "decisive"), "irrelevant-role")
"""Deliveries that expose a standing decision: related news that is not decisive, and traps."""


class Scored(NamedTuple):
    """An episode's frames with what is true of them."""

    decisions: pl.DataFrame
    """An episode's, with `label` (1 should change), `kind`, `cause`; `right`; `decisive` and
    `traps`, the deliveries of these relations, out of `news` and `lures` published in its window;
    `exposed`, whether anything misleading was delivered; and `dropped`, deliveries that a time
    filter dropped, `wrongly_dropped` those among them that were decisive."""
    deliveries: pl.DataFrame
    """An episode's, with `relation`, null where the notice does not concern the decision."""
    calls: pl.DataFrame
    """An episode's."""


def score(episode: Episode, gold: Gold) -> Scored:
    """Hold an episode against the gold of its stream."""
    truths, concerns = _frames(gold)
    deliveries = episode.deliveries.join(
        concerns, on=["decision", "notice"], how="left", maintain_order="left"
    )
    drops = episode.drops.join(concerns, on=["decision", "notice"], how="left")
    there, delivered, dropped = (_tally(each) for each in (concerns, deliveries, drops))
    decisions = (
        episode.decisions.join(truths, on="decision", how="left", maintain_order="left")
        .join(
            there.select("decision", news="decisive", lures="traps"),
            on="decision",
            how="left",
            maintain_order="left",
        )
        .join(
            delivered.select("decision", "decisive", "traps", exposed=pl.col("misleading") > 0),
            on="decision",
            how="left",
            maintain_order="left",
        )
        .join(
            dropped.select("decision", dropped="notices", wrongly_dropped="decisive"),
            on="decision",
            how="left",
            maintain_order="left",
        )
        .with_columns(
            pl.col("news", "lures", "decisive", "traps", "dropped", "wrongly_dropped").fill_null(0),
            pl.col("exposed").fill_null(value=False),
            right=(pl.col("choice") == "switch") == (pl.col("label") == 1),
        )
    )
    return Scored(decisions, deliveries, episode.calls)


def _frames(gold: Gold) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A row a decision: label, kind and cause; and a row a notice that concerns one."""
    truths = gold.truths.values()
    return (
        pl.DataFrame(
            [(truth.decision, truth.label, truth.kind, truth.cause) for truth in truths],
            schema={
                "decision": pl.String,
                "label": pl.Int8,
                "kind": pl.String,
                "cause": pl.String,
            },
            orient="row",
        ),
        pl.DataFrame(
            [(truth.decision, *concern) for truth in truths for concern in truth.notices],
            schema={"decision": pl.String, "notice": pl.String, "relation": pl.String},
            orient="row",
        ),
    )


def _tally(concerns: pl.DataFrame) -> pl.DataFrame:
    """How many notices of each sort a frame has for each decision in it."""
    relation = pl.col("relation")
    return concerns.group_by("decision").agg(
        notices=pl.len().cast(pl.Int64),
        decisive=(relation == "decisive").sum().cast(pl.Int64),
        traps=(relation == "irrelevant-role").sum().cast(pl.Int64),
        misleading=relation.is_in(MISLEADING).sum().cast(pl.Int64),
    )
