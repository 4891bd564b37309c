"""The reference figures of every router on our streams, written to `reports/reference.json`.

Each stream is made with 20 seeds and run through the ledger, in two processes; what is counted are
deliveries, in which no judge has a part. A router is asked for its ten best, of which the first K
are its K best: deliveries come best first. No time is in the file, so that a second run writes the
same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Literal, NamedTuple

import polars as pl

from benchmarks.figure import Figure
from llm import WATCH_WRITERS, make_watch_writer
from llm.judge import NO_NEWS
from llm.watch_writers import DEFAULT_WATCH_WRITER
from reports.provenance import versions
from reports.reference import CONDITIONS, COUNTS, GROUP, Reference, write_reference
from routers import Entry, Notice, Verdict
from routers.encoding.find import make_encoder
from routers.reading.names import NameIndex, likely_names
from routers.router import uses_encoder
from sim import episode
from sim.episode import Episode
from sim.processes import LocalProcesses
from sim.runs import router_named, router_names
from sim.scoring import score
from sim.streams import STREAMS, Gold, Labelled, Stream, make_stream, manifest_of
from sim.watching import reads_conditions, watched

SEEDS = range(20)
KS = (1, 2, 3, 5, 10)
ENCODED = ("indirect",)
"""Streams on which routers with an encoder are counted, where what is indexed matters most: it
reads for 45 s of processor time at each seed of INDIRECT, and would for hours at those of all."""
FILTERED_K = 3
"""The K at which routers have a time filter around them: it drops the same at any."""
PROCESSES = 2


def measure(*, full: bool) -> list[Figure]:
    """Make the figures anew, write them, and hold the shape of INDIRECT against the paper's."""
    del full  # there is no sample of them: what is written is what is quoted
    found = reference(list(STREAMS), SEEDS, processes=PROCESSES)
    write_reference(found)
    return list(shape(found))


def reference(streams: Sequence[str], seeds: Sequence[int], *, processes: int = 1) -> Reference:
    """The figures of these streams, each made with all of these seeds."""
    cells = list(product(streams, seeds))
    if processes == 1:
        counted = [count(*cell) for cell in cells]
    else:
        with LocalProcesses(processes) as pool:
            counted = list(pool.map(count, *zip(*cells, strict=True)))
    frames = pl.concat(each.frame for each in counted)
    provenance: dict[str, Any] = {
        "command": "python -m benchmarks reference",
        "seeds": [min(seeds), max(seeds)],
        "versions": versions("numba"),
        "watch_writers": {name: make_watch_writer(name).version for name in WATCH_WRITERS},
        "streams": {
            name: _sha256([each.sha256 for each in counted if each.stream == name])
            for name in streams
        },
    }
    if set(streams) & set(ENCODED):
        encoder = make_encoder()
        provenance["encoder"] = {"name": encoder.name, "sha256": dict(encoder.sha256)}
    sums = frames.group_by(GROUP, maintain_order=True).agg(pl.col(COUNTS).sum())
    conditions = (
        pl.concat(each.conditions for each in counted)
        .group_by(CONDITIONS[:2], maintain_order=True)
        .agg(pl.col(CONDITIONS[2:]).sum())
    )
    return Reference(provenance, sums, conditions)


class Counted(NamedTuple):
    """What every router delivered on one stream."""

    stream: str
    sha256: str
    """Of the stream's files."""
    frame: pl.DataFrame
    """`GROUP` and `COUNTS`."""
    conditions: pl.DataFrame
    """`CONDITIONS`."""


def count(name: str, seed: int) -> Counted:
    """Run one stream through every router."""
    labelled = make_stream(name, seed=seed)
    return Counted(
        name,
        files_hash(labelled),
        pl.concat(
            frame
            for router in router_names()
            if name in ENCODED or not uses_encoder(router)
            for frame in count_router(labelled, router)
        ),
        pl.DataFrame(
            [_named(labelled, writer) for writer in WATCH_WRITERS], schema=CONDITIONS, orient="row"
        ),
    )


def files_hash(labelled: Labelled) -> str:
    """The SHA-256 of those of a stream's files."""
    return _sha256([json.dumps(manifest_of(labelled)["sha256"], sort_keys=True)])


def _named(labelled: Labelled, writer: str) -> tuple[str | int, ...]:
    """A row of `CONDITIONS`: how often a decision's conditions name what a notice is about."""
    stream, gold = labelled
    texts = {notice.id: notice.text for notice in stream.notices}
    found: dict[str, list[bool]] = {"decisive": [], "irrelevant-role": []}
    for entry in watched(stream, writer).stream.decisions:
        index: NameIndex[str] = NameIndex()
        for name in (name for sentence in entry.watch for name in likely_names(sentence)):
            index.add(name, name)
        for notice, relation in gold.truths[entry.id].notices:
            if relation in found:
                found[relation].append(any(index.find(texts[notice])))
    counts = [count for named in found.values() for count in (len(named), sum(named))]
    return stream.name, writer, *counts


def count_router(labelled: Labelled, router: str) -> Iterator[pl.DataFrame]:
    """The counts of one router: at every K, and with a time filter around it."""
    stream, gold = labelled
    filtered = f"{router}+time-filter"
    unbounded = router_named(router, gold, k=1).unbounded
    for writer in _writers(router):
        read = stream if writer is None else watched(stream, writer).stream
        played = _play(read, router, gold, max(KS))
        for k in (None,) if unbounded else KS:
            yield _counts(played if k is None else _best(played, k), gold, router, writer, k)
        k = None if unbounded else FILTERED_K
        yield _counts(_play(read, filtered, gold, FILTERED_K), gold, filtered, writer, k)


def _writers(router: str) -> Sequence[str | None]:
    """Who writes the conditions that a router reads: for contrast all writers, by words alone."""
    if not reads_conditions(router):
        return (None,)
    return (DEFAULT_WATCH_WRITER,) if uses_encoder(router) else tuple(WATCH_WRITERS)


def _play(stream: Stream, router: str, gold: Gold, k: int) -> Episode:
    return episode(stream, router_named(router, gold, k=k), _Keeping())


def _best(played: Episode, k: int) -> Episode:
    """The episode as it is where each notice has only its `k` best deliveries."""
    rank = pl.int_range(pl.len()).over("notice")
    return replace(played, deliveries=played.deliveries.filter(rank < k))


def _counts(
    played: Episode, gold: Gold, router: str, writer: str | None, k: int | None
) -> pl.DataFrame:
    """`GROUP` and `COUNTS` of an episode, a row a kind of reference."""
    scored = score(played, gold)
    received = scored.deliveries.group_by("decision").agg(received=pl.len())
    changing = pl.col("label") == 1
    return (
        scored.decisions.drop("received")
        .join(received, on="decision", how="left", maintain_order="left")
        .with_columns(pl.col("received").fill_null(0))
        .sort("kind", nulls_last=True, maintain_order=True)
        .group_by("kind", maintain_order=True)
        .agg(
            decisions=pl.len(),
            changing=changing.sum(),
            reached=(changing & (pl.col("decisive") > 0)).sum(),
            exposed=(~changing & pl.col("exposed")).sum(),
            **{name: pl.col(name).sum() for name in COUNTS if name in _SUMMED},
        )
        .with_columns(
            stream=pl.lit(played.parameters["stream"]),
            router=pl.lit(router),
            watch=pl.lit(writer, dtype=pl.String),
            k=pl.lit(k, dtype=pl.Int64),
        )
        .select(*GROUP, pl.col(COUNTS).cast(pl.Int64))
    )


_SUMMED = {"news", "decisive", "received", "traps", "lures", "dropped", "wrongly_dropped"}


def _sha256(parts: Iterable[str]) -> str:
    return hashlib.sha256("".join(parts).encode()).hexdigest()


class _Keeping:
    """A judge that takes no time: what is counted is delivered before anyone reads it."""

    name = "keeping"
    simulated = True
    gold = False

    def judge(self, entry: Entry, notices: Sequence[Notice]) -> Verdict:
        del entry, notices
        return NO_NEWS


def shape(found: Reference) -> Iterator[Figure]:
    """What must come out of the texts, as the paper's own texts had it."""
    kinds = found.shares(GROUP)
    whole = found.shares(GROUP[:-1])
    for kind in ("option", "dependency"):
        yield _figure(kinds, "indirect", "bm25-text", 3, "recall", 1.0, "at least", kind=kind)
    for kind in ("other-name", "upstream"):
        yield _figure(kinds, "indirect", "bm25-text", 3, "recall", 0.5, "at most", kind=kind)
    yield _figure(whole, "indirect", "bm25-dossier", 3, "recall", 0.98, "at least")
    yield _figure(whole, "indirect", "bm25-dossier", 1, "recall", 0.95, "at most")
    yield _figure(whole, "indirect", "bm25-watch", 3, "recall", 0.92, "at least", watch="rules")
    yield _figure(whole, "indirect", "bm25-watch", 3, "trap_rate", 0.25, "at most", watch="rules")
    for stream in ("direct", "stress", "stress2"):
        yield _figure(whole, stream, "bm25-text", 3, "pair_recall", 0.97, "at least")


def _figure(
    shares: pl.DataFrame,
    stream: str,
    router: str,
    k: int,
    share: str,
    target: float,
    rule: Literal["at least", "at most"],
    **where: str,
) -> Figure:
    [row] = shares.filter(stream=stream, router=router, k=k, **where).iter_rows(named=True)
    said = " ".join((stream, router, f"K = {k}", *where.values()))
    counts = {name: float(row[name]) for name in COUNTS}
    return Figure(f"{said}: {share}", row[share], target, rule, counts)
