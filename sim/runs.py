"""Runs: one stream through routers and judges by name, each pair an episode, held against gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import polars as pl

from llm import JUDGES, Judge, WatchWriter, make_judge, make_watch_writer
from llm.calls.model_name import is_model_name
from llm.model import ModelJudge
from llm.watch import without_conditions
from llm.watch_model import WatchModel
from routers import ROUTERS, Router, make_router
from routers.encoding.encoder import Encoder
from routers.encoding.find import make_encoder
from routers.router import split_name, uses_encoder, wrapped
from sim.answers import answers
from sim.asking import Asking
from sim.ceiling_points import observed
from sim.cells import cell_rng
from sim.episode import Episode, episode
from sim.measures import measure
from sim.oracles import ORACLES, make_oracle
from sim.profiles import PROFILES
from sim.questions import Question, questions
from sim.scoring import score
from sim.simulated import make_simulated
from sim.streams import Gold, Labelled, Stream
from sim.watching import Watched, reads_conditions, watched
from theory import BadInput

KEYS = ("stream", "router", "k", "watch", "judge", "seed", "gold", "simulated")
"""The columns that tell the episodes of a run apart: `watch` says who wrote the conditions that its
router reads, null where it reads none, `gold` that its router is an oracle, `simulated` that its
judge is."""
ROUTING = ("stream", "router", "k", "watch", "seed", "gold")
"""Those that tell deliveries apart, which no judge has a part in."""


@dataclass(frozen=True)
class Run:
    """The frames of all episodes of a run, one below the other, each row with its `KEYS`."""

    decisions: pl.DataFrame
    """`sim.scoring.Scored.decisions` after `KEYS`."""
    deliveries: pl.DataFrame
    """`sim.scoring.Scored.deliveries` after `ROUTING`: once for each router and k."""
    calls: pl.DataFrame
    """`sim.scoring.Scored.calls` after `KEYS`."""
    answers: pl.DataFrame | None = None
    """`sim.answers.answers` to the questions of the calls; None where no judge asks a model."""
    log: pl.DataFrame | None = None
    """What a natural stream's log says of its decisions: `sim.ceiling_points.observed` after
    `stream` and `seed`."""
    watch: Mapping[str, str | None] | None = None
    """`writer` and `version` of the watch conditions; None where no router reads any."""

    def measures(self) -> pl.DataFrame:
        """`sim.measures.measure` of each episode, after its `KEYS`."""
        return measure(self.decisions, by=KEYS, seed=int(self.decisions["seed"][0]))


def run(
    labelled: Labelled,
    *,
    routers: Sequence[str],
    judges: Sequence[str | Judge],
    ks: Sequence[int] = (3,),
    seed: int = 0,
    watch: str | WatchWriter | None = None,
    encoder: Encoder | None = None,
    asking: Asking = Asking(),  # noqa: B008 (frozen)
    prepare: bool = True,
    advance: Callable[[int], object] = lambda _: None,
) -> Run:
    """Run a stream through every router with every `k` and every judge, by name or ready-made.

    With `prepare`, models are asked all their questions together before the clock starts; without,
    each question as it comes, unless it was prepared before.

    Routers that read watch conditions get those that the writer `watch` writes beforehand, or
    without one what `sim.watching.watched` says. Dense routers read texts by `encoder`, or the
    default one. `seed` draws the answers of simulated judges,
    the same for a decision in all episodes. `advance` is called with the number of notices
    published since; each episode publishes them all.
    """
    stream, gold = labelled
    if not stream.decisions:
        raise BadInput("stream", stream.name, "must hold at least one decision")
    for name, k in product(routers, ks):
        router_named(name, gold, k=k, encoder=encoder)
    if isinstance(watch, str):
        watch = make_watch_writer(watch)
    ready = [judge_named(it, gold, seed=seed) if isinstance(it, str) else it for it in judges]
    asking_models = [judge for judge in ready if isinstance(judge, ModelJudge)]
    if prepare and asking_models:
        asked = questions_of(
            labelled, routers=routers, ks=ks, watch=watch, encoder=encoder, asking=asking
        )
        for model in asking_models:
            model.prepare(asked)
    conditions = _conditions(stream, routers, watch)
    decisions, deliveries, calls = [], [], []
    for router, k in product(routers, ks):
        reads = conditions if reads_conditions(router) else None
        told = {"seed": seed, "watch": reads and reads.writer}
        for number, judge in enumerate(ready):
            played = episode(
                reads.stream if reads else stream,
                router_named(router, gold, k=k, encoder=encoder),
                judge,
                asking=asking,
                advance=advance,
            )
            scored = score(played, gold)
            decisions.append(_keyed(scored.decisions, played, told, KEYS))
            calls.append(_keyed(scored.calls, played, told, KEYS))
            if number == 0:
                deliveries.append(_keyed(scored.deliveries, played, told, ROUTING))
    return Run(
        pl.concat(decisions),
        pl.concat(deliveries),
        pl.concat(calls),
        answers=answers(
            asking_models,
            pl.concat(calls),
            writer=watch if isinstance(watch, WatchModel) else None,
            watched=map(without_conditions, stream.decisions),
        ),
        log=None if gold.log is None else _logged(stream, gold, seed),
        watch=conditions and {"writer": conditions.writer, "version": conditions.version},
    )


def questions_of(
    labelled: Labelled,
    *,
    routers: Sequence[str],
    ks: Sequence[int] = (3,),
    watch: str | WatchWriter | None = None,
    encoder: Encoder | None = None,
    asking: Asking = Asking(),  # noqa: B008 (frozen)
) -> list[Question]:
    """What every judge of such a run is asked, router by router; many come more than once."""
    stream, gold = labelled
    conditions = _conditions(stream, routers, watch)
    asked = []
    for name, k in product(routers, ks):
        reads = conditions if reads_conditions(name) else None
        router = router_named(name, gold, k=k, encoder=encoder)
        asked += questions(reads.stream if reads else stream, router, asking=asking)
    return asked


def router_names() -> list[str]:
    """Every router of a run, without wrappers; the last ones are oracles."""
    return [*ROUTERS, *ORACLES]


def judge_names() -> list[str]:
    """Every judge of a run; the last ones are simulated."""
    return [*JUDGES, *PROFILES]


def router_named(name: str, gold: Gold, *, k: int, encoder: Encoder | None = None) -> Router:
    """The router of this name, oracle or not, empty."""
    base, wrappers = split_name(name, known=router_names())
    if base in ORACLES:
        return wrapped(make_oracle(base, gold, k=k), wrappers)
    return wrapped(make_router(base, k=k, encoder=encoder), wrappers)


def encoder_named(name: str | None, routers: Sequence[str]) -> Encoder | None:
    """The encoder of this name, or the default one; None where none of the routers needs one."""
    if any(uses_encoder(router) for router in routers):
        return make_encoder(name)
    if name is not None:
        raise BadInput("encoder", name, "needs a router that reads by one, such as dense-text")
    return None


def judge_named(name: str, gold: Gold, *, seed: int) -> Judge:
    """The judge of this name, simulated or not; simulated ones draw alike for one seed."""
    if name in PROFILES:
        return make_simulated(name, gold, cell_rng(seed, {"draws": "judges"}))
    if name not in JUDGES:
        if is_model_name(name):
            return make_judge(name)
        known = ", ".join(judge_names())
        raise BadInput("judge", name, f"must be one of {known}, or a model: provider/model")
    return make_judge(name)


def _conditions(
    stream: Stream, routers: Sequence[str], watch: str | WatchWriter | None
) -> Watched | None:
    """The stream with the conditions that some of the routers read, if any do."""
    if any(reads_conditions(router) for router in routers):
        return watched(stream, watch)
    if watch is not None:
        name = watch if isinstance(watch, str) else watch.name
        raise BadInput("watch", name, "needs a router that reads conditions, such as bm25-watch")
    return None


def _keyed(
    frame: pl.DataFrame, played: Episode, told: Mapping[str, object], keys: Sequence[str]
) -> pl.DataFrame:
    """The frame after columns that say which episode it is of."""
    values = {**played.parameters, **told}
    columns = (pl.lit(values[key], dtype=_TYPES.get(key)).alias(key) for key in keys)
    return frame.select(*columns, pl.all())


_TYPES = {"watch": pl.String, "k": pl.Int64, "seed": pl.Int64}
"""Of keys whose values do not tell."""


def _logged(stream: Stream, gold: Gold, seed: int) -> pl.DataFrame:
    named = (pl.lit(stream.name).alias("stream"), pl.lit(seed, dtype=pl.Int64).alias("seed"))
    return observed(stream, gold).select(*named, pl.all())
