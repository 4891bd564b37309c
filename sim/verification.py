"""A claim verified: proved by machine, held in simulation, and its controls rejected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sim.engines import EngineName
from sim.experiments import EXPERIMENTS, IN_EPISODES, Experiment, Outcome, run
from theory.claims import CLAIMS, Claim, Proof
from theory.errors import BadInput


@dataclass(frozen=True)
class Verification:
    """What was found of one claim."""

    claim: Claim
    experiment: Experiment
    proof: Proof
    outcome: Outcome
    in_episodes: tuple[Experiment, Outcome] | None = None
    """The claim's further experiment, where streams meet routers and judges, if it has one."""

    @property
    def played(self) -> list[tuple[Experiment, Outcome]]:
        """Every experiment of the claim, with what it found."""
        first = (self.experiment, self.outcome)
        return [first] if self.in_episodes is None else [first, self.in_episodes]

    @property
    def held(self) -> bool:
        """Whether every experiment held."""
        return all(outcome.held for _, outcome in self.played)

    @property
    def control_rejected(self) -> bool:
        """Whether every experiment's control was rejected."""
        return all(outcome.control_rejected for _, outcome in self.played)

    @property
    def passed(self) -> bool:
        """Proved, held and controlled."""
        return self.proof.proved and self.held and self.control_rejected


def verify(
    ids: Sequence[str] = (),
    *,
    seed: int,
    engine: EngineName = "numpy",
    advance: Callable[[int], object] = lambda _: None,
) -> list[Verification]:
    """Prove each claim and run its experiments: all claims, or those of `ids`.

    `advance` is called with 1 after each cell of a grid; `count_cells` tells how many there are.
    """
    found = []
    for claim in _chosen(ids):
        first, *further = (
            (experiment, run(experiment, seed=seed, engine=engine, advance=advance))
            for experiment in _experiments(claim)
        )
        proof = CLAIMS[claim].prove()
        found.append(Verification(CLAIMS[claim], first[0], proof, first[1], *further))
    return found


def count_cells(ids: Sequence[str] = (), *, engine: EngineName = "numpy") -> int:
    """How many cells `verify` plays."""
    return sum(
        len(experiment.grid(engine)) for claim in _chosen(ids) for experiment in _experiments(claim)
    )


def _experiments(claim: str) -> list[Experiment]:
    """A claim's experiments, that on an engine first."""
    return [known[claim] for known in (EXPERIMENTS, IN_EPISODES) if claim in known]


def _chosen(ids: Sequence[str]) -> Sequence[str]:
    for claim in ids:
        if claim not in CLAIMS:
            raise BadInput("claim", claim, f"must be one of {', '.join(CLAIMS)}")
    return ids or list(CLAIMS)
