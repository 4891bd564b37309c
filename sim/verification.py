"""A claim verified: proved by machine, held in simulation, and its control rejected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sim.engines import EngineName
from sim.experiments import EXPERIMENTS, Experiment, Outcome, run
from theory.claims import CLAIMS, Claim, Proof
from theory.errors import BadInput


@dataclass(frozen=True)
class Verification:
    """What was found of one claim."""

    claim: Claim
    experiment: Experiment
    proof: Proof
    outcome: Outcome

    @property
    def passed(self) -> bool:
        """Proved, held and controlled."""
        return self.proof.proved and self.outcome.held and self.outcome.control_rejected


def verify(
    ids: Sequence[str] = (),
    *,
    seed: int,
    engine: EngineName = "numpy",
    advance: Callable[[int], object] = lambda _: None,
) -> list[Verification]:
    """Prove each claim and run its experiment: all claims, or those of `ids`.

    `advance` is called with 1 after each cell of a grid; `count_cells` tells how many there are.
    """
    return [
        Verification(
            claim=CLAIMS[claim],
            experiment=EXPERIMENTS[claim],
            proof=CLAIMS[claim].prove(),
            outcome=run(EXPERIMENTS[claim], seed=seed, engine=engine, advance=advance),
        )
        for claim in _chosen(ids)
    ]


def count_cells(ids: Sequence[str] = (), *, engine: EngineName = "numpy") -> int:
    """How many cells `verify` plays."""
    return sum(len(EXPERIMENTS[claim].grid(engine)) for claim in _chosen(ids))


def _chosen(ids: Sequence[str]) -> Sequence[str]:
    for claim in ids:
        if claim not in CLAIMS:
            raise BadInput("claim", claim, f"must be one of {', '.join(CLAIMS)}")
    return ids or list(CLAIMS)
