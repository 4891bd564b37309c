"""Decisions of a run told one by one: their dossier, the news, who got it, and what judges said.

A run's folder holds no texts. A stream of ours is made again, by its name, seed and parameters; one
that does not come out with the same hashes, or was a user's, cannot be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from llm.watch_writers import WATCH_WRITERS
from reports.run_folder import SavedRun
from routers import Entry
from sim.cells import cell_rng
from sim.runs import Run
from sim.streams import STREAMS, Labelled, make_stream, manifest_of
from sim.watching import watched
from theory.errors import BadInput

MOST = 200
"""Decisions told on one page, unless more are asked for."""
_PREFERRED = "indirect"


class News(NamedTuple):
    """A notice that some router delivered, or that concerns the decision."""

    id: str
    published: float
    text: str
    relation: str | None
    """What it is to the decision, in truth."""
    scores: Mapping[str, float]
    """Of each router that delivered it."""


class Judgment(NamedTuple):
    """What a judge made of what one router delivered."""

    router: str
    judge: str
    choice: str
    right: bool
    reason: str


@dataclass(frozen=True)
class Story:
    """One decision."""

    entry: Entry
    label: int
    """1 if it should change."""
    kind: str | None
    news: Sequence[News]
    others: int
    """Notices published in its window that no router but broadcast delivered."""
    judgments: Sequence[Judgment]


class Stories(NamedTuple):
    """The stories of one stream of a run."""

    stream: str
    k: int
    routers: Sequence[str]
    """Those that choose, in the run's order: not none and broadcast."""
    told: Sequence[Story]
    decisions: int
    """How many the stream has."""


def tell(saved: SavedRun, *, seed: int = 0, also: Sequence[str] = ()) -> Stories | str:
    """The stories of a run's INDIRECT, or of its first stream; or why there are none.

    Of more than `MOST` decisions a sample drawn with `seed` is told, and those named in `also`.
    """
    names = [told["stream"] for told in saved.manifest["streams"]]
    stream = _PREFERRED if _PREFERRED in names else names[0]
    labelled = _made_again(saved, stream)
    if labelled is None:
        return f"the texts of the stream {stream} are not at hand"
    entries = _entries(saved, labelled)
    run = _one_episode_each(saved.run, stream)
    said = _Said(labelled, run)
    return Stories(
        stream=stream,
        k=int(run.decisions["k"][0]),
        routers=[r for r in run.decisions["router"].unique(maintain_order=True) if r not in _PLAIN],
        told=[said.story(entries[id_]) for id_ in _chosen(list(entries), seed, also)],
        decisions=len(entries),
    )


_PLAIN = ("none", "broadcast")
"""Routers that deliver nothing, or all."""
_MAIN_K = 3


def _made_again(saved: SavedRun, stream: str) -> Labelled | None:
    """The stream with the run's first seed, if it can be made again as it was."""
    told = next(told for told in saved.manifest["streams"] if told["stream"] == stream)
    parameters = told["made"].get("parameters")
    if stream not in STREAMS or parameters is None:
        return None
    made = make_stream(stream, seed=told["made"]["seed"], **parameters)
    return made if manifest_of(made)["sha256"] == told["sha256"] else None


def _entries(saved: SavedRun, labelled: Labelled) -> dict[str, Entry]:
    """The stream's decisions, with the conditions that the run's routers read, if made offline."""
    writer = (saved.run.watch or {}).get("writer")
    known = writer in WATCH_WRITERS
    stream = watched(labelled.stream, writer).stream if known else labelled.stream
    return {entry.id: entry for entry in stream.decisions}


def _chosen(ids: Sequence[str], seed: int, also: Sequence[str]) -> list[str]:
    """Which decisions are told, in the stream's order."""
    for name in also:
        if name not in ids:
            raise BadInput("story", name, "must be the id of a decision of the stream")
    if len(ids) <= MOST:
        return list(ids)
    drawn = cell_rng(seed, {"draws": "stories"}).choice(len(ids), MOST, replace=False)
    told = {ids[index] for index in drawn} | set(also)
    return [name for name in ids if name in told]


def _one_episode_each(run: Run, stream: str) -> Run:
    """One stream's first seed, at one K: that of the paper if it was run."""
    here = run.decisions.filter(pl.col("stream") == stream)
    ks = here["k"].unique().sort()
    k = _MAIN_K if _MAIN_K in ks else ks[0]
    only = (pl.col("stream") == stream, pl.col("seed") == here["seed"][0], pl.col("k") == k)
    return Run(run.decisions.filter(only), run.deliveries.filter(only), run.calls.filter(only))


class _Said:
    """Looks up what a run says of one decision after another."""

    def __init__(self, labelled: Labelled, run: Run) -> None:
        self._gold = labelled.gold
        self._notices = {notice.id: notice for notice in labelled.stream.notices}
        self._published = np.array([notice.published for notice in labelled.stream.notices])
        self._deliveries = run.deliveries.partition_by("decision", as_dict=True)
        self._decisions = run.decisions.partition_by("decision", as_dict=True)
        reasons = run.calls.select("decision", "router", "judge", "reason").rows()
        self._reasons = {(d, router, judge): reason for d, router, judge, reason in reasons}

    def story(self, entry: Entry) -> Story:
        """The story of one decision."""
        truth = self._gold.truths[entry.id]
        news = self._news(entry, {concern.notice: concern.relation for concern in truth.notices})
        inside = (self._published > entry.decided) & (self._published <= entry.deadline)
        return Story(
            entry=entry,
            label=truth.label,
            kind=truth.kind,
            news=news,
            others=int(inside.sum())
            - sum(entry.decided < n.published <= entry.deadline for n in news),
            judgments=self._judgments(entry.id),
        )

    def _news(self, entry: Entry, relations: Mapping[str, str]) -> list[News]:
        scores: dict[str, dict[str, float]] = {notice: {} for notice in relations}
        rows = self._deliveries.get((entry.id,))
        if rows is not None:
            for router, notice, score in rows.select("router", "notice", "score").rows():
                if router not in _PLAIN:
                    scores.setdefault(notice, {})[router] = score
        found = [
            News(
                notice,
                self._notices[notice].published,
                self._notices[notice].text,
                relations.get(notice),
                by,
            )
            for notice, by in scores.items()
        ]
        return sorted(found, key=lambda news: (news.published, news.id))

    def _judgments(self, decision: str) -> list[Judgment]:
        rows = self._decisions[decision,].select(
            "router", "gold", "judge", "simulated", "choice", "right", "missed"
        )
        return [
            Judgment(
                router=f"{router} (gold)" if gold else router,
                judge=f"{judge} (simulated)" if simulated else judge,
                choice=choice,
                right=right,
                reason="missed its deadline"
                if missed
                else self._reasons.get((decision, router, judge)) or "no news",
            )
            for router, gold, judge, simulated, choice, right, missed in rows.iter_rows()
        ]
