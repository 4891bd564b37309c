"""Studies: streams by seed, each through routers with several K and judges, one run in the end.

A study is played in pieces, a router with one K on one stream at a time, so that what is done can
be kept and taken up again, and a run that is there already is only added to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NamedTuple, Protocol

import polars as pl

from llm import Judge, WatchWriter, judge_name, make_judge, make_watch_writer
from llm.calls.model_name import is_model_name
from llm.watch_writers import watch_writer_name
from routers.encoding.encoder import Encoder
from routers.router import uses_encoder
from sim.asking import Asking
from sim.runs import Run, judge_named, router_named, run
from sim.streams import Labelled
from sim.watching import reads_conditions
from theory import BadInput

EPISODE = ("stream", "seed", "router", "k", "judge")
"""The columns that tell the episodes of a study apart."""


@dataclass(frozen=True)
class Study:
    """What to run: every combination."""

    streams: Sequence[str]
    """Names of streams, or folders."""
    routers: Sequence[str]
    judges: Sequence[str]
    """Those that ask models as `provider/model+mode`."""
    ks: Sequence[int] = (3,)
    """Most deliveries of a notice."""
    seeds: Sequence[int] = (0,)
    """Each makes a stream of its own and draws the answers of simulated judges."""
    watch: str | None = None
    """Who writes watch conditions, for the routers that read them; see `sim.runs.run`."""
    encoder: str | None = None
    """The dense routers' sentence encoder, by name or folder; see `sim.runs.encoder_named`."""
    asking: Asking = field(default_factory=Asking)
    """When judges are asked."""

    def __post_init__(self) -> None:
        for name in ("streams", "routers", "judges", "ks", "seeds"):
            values = getattr(self, name)
            if not values:
                raise BadInput(name, "", "must hold at least one value")
            if len(set(values)) < len(values):
                raise BadInput(name, ", ".join(map(str, values)), "must hold no value twice")
        object.__setattr__(self, "judges", [judge_name(name) for name in self.judges])
        if self.watch is not None:
            object.__setattr__(self, "watch", watch_writer_name(self.watch))
        if self.watch is not None and not any(map(reads_conditions, self.routers)):
            rule = "needs a router that reads conditions, such as bm25-watch"
            raise BadInput("watch", self.watch, rule)

    @property
    def episodes(self) -> int:
        """How many there are."""
        axes = (self.streams, self.routers, self.judges, self.ks, self.seeds)
        return math.prod(map(len, axes))


class Piece(NamedTuple):
    """What is played at a time: one router and K on one stream."""

    stream: str
    """The stream's own name."""
    seed: int
    router: str
    k: int
    judges: Sequence[str]
    """Those whose episodes are missing."""


class Store(Protocol):
    """Where pieces are kept until all are done."""

    def get(self, piece: Piece) -> Run | None:
        """What was kept of a piece, if anything."""
        ...

    def put(self, piece: Piece, played: Run) -> None:
        """Keep a piece, whole or not at all."""
        ...


class Forgetful:
    """A store that keeps nothing."""

    def get(self, piece: Piece) -> Run | None:
        """Nothing."""
        del piece
        return None

    def put(self, piece: Piece, played: Run) -> None:
        """Let it go."""


def play(
    study: Study,
    find: Callable[[str, int], Labelled],
    *,
    have: Run | None = None,
    store: Store | None = None,
    judges: Mapping[str, Judge] | None = None,
    writer: WatchWriter | None = None,
    encoder: Encoder | None = None,
    advance: Callable[[int], object] = lambda _: None,
) -> Run:
    """Play what is missing of a study, and put it after what is there.

    `find` makes or reads a stream by name and seed. `have` is a run with some of the episodes; they
    are not played again. `judges` are ready-made ones by name, which were prepared; where none are
    given, those that ask models are made here, and asked a piece's questions together. `writer` is
    that of the study's name `watch`, ready-made. `encoder` is the study's, made ready; the default
    one is made where it is needed. `advance` is called with the number of episodes just done.
    """
    store = store or Forgetful()
    made = _models(study) if judges is None else judges
    if writer is None and study.watch is not None:
        writer = make_watch_writer(study.watch)
    known = set() if have is None else set(have.decisions.select(EPISODE).unique().rows())
    runs = [] if have is None else [have]
    for name, seed in product(study.streams, study.seeds):
        labelled = find(name, seed)
        if not labelled.stream.decisions:
            raise BadInput("stream", labelled.stream.name, "must hold at least one decision")
        _check_names(study, labelled, made, encoder)
        for piece in _pieces(study, labelled.stream.name, seed, known):
            if piece.judges:
                played = store.get(piece) or _play(
                    piece, study, labelled, made, writer, encoder, prepare=judges is None
                )
                store.put(piece, played)
                runs.append(_new(played, known))
            advance(len(study.judges))
    return joined(runs)


def _pieces(
    study: Study, stream: str, seed: int, known: set[tuple[object, ...]]
) -> Iterator[Piece]:
    for router, k in product(study.routers, study.ks):
        missing = [j for j in study.judges if (stream, seed, router, k, j) not in known]
        yield Piece(stream, seed, router, k, missing)


def _models(study: Study) -> dict[str, Judge]:
    """Judges that ask models, made once: what one piece asked is not asked again."""
    return {name: make_judge(name) for name in study.judges if is_model_name(name)}


def _play(
    piece: Piece,
    study: Study,
    labelled: Labelled,
    made: Mapping[str, Judge],
    writer: WatchWriter | None,
    encoder: Encoder | None,
    *,
    prepare: bool,
) -> Run:
    return run(
        labelled,
        routers=[piece.router],
        judges=[made.get(name, name) for name in piece.judges],
        ks=[piece.k],
        seed=piece.seed,
        watch=writer if reads_conditions(piece.router) else None,
        encoder=encoder if uses_encoder(piece.router) else None,
        asking=study.asking,
        prepare=prepare,
    )


def _new(played: Run, known: set[tuple[object, ...]]) -> Run:
    """A piece without the deliveries and the log that earlier ones brought."""
    first = played.decisions.row(0, named=True)
    at = (first["stream"], first["seed"])
    routed = any(key[:4] == (*at, first["router"], first["k"]) for key in known)
    logged = any(key[:2] == at for key in known)
    known |= set(played.decisions.select(EPISODE).unique().rows())
    return replace(
        played,
        deliveries=played.deliveries.clear() if routed else played.deliveries,
        log=None if logged else played.log,
    )


def joined(runs: Sequence[Run]) -> Run:
    """Several runs below one another."""
    logs = [each.log for each in runs if each.log is not None]
    answers = [each.answers for each in runs if each.answers is not None]
    return Run(
        decisions=pl.concat(each.decisions for each in runs),
        deliveries=pl.concat(each.deliveries for each in runs),
        calls=pl.concat(each.calls for each in runs),
        answers=pl.concat(answers).unique(_QUESTION, keep="first", maintain_order=True)
        if answers
        else None,
        log=pl.concat(logs) if logs else None,
        watch=next((each.watch for each in runs if each.watch is not None), None),
    )


_QUESTION = ["judge", "question"]
"""The columns that tell answers apart: routers, streams and seeds may lead to the same question."""


def _check_names(
    study: Study, labelled: Labelled, made: Mapping[str, Judge], encoder: Encoder | None
) -> None:
    """Refuse names that nothing is known by, before anything is played."""
    for router, k in product(study.routers, study.ks):
        router_named(router, labelled.gold, k=k, encoder=encoder)
    for judge in study.judges:
        if judge not in made:
            judge_named(judge, labelled.gold, seed=0)
