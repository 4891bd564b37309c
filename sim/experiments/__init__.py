"""An experiment for each claim of the theory, one a file."""

from sim.experiments import (
    exposure,
    factorisation,
    factorisation_in_episodes,
    freshness_alone,
    freshness_alone_in_episodes,
    freshness_ceiling,
    many_dependencies,
    risk_split,
    router_gain,
    router_gain_in_episodes,
)
from sim.experiments.experiment import (
    CONTROL_STRETCH,
    DECISIONS,
    FAMILY_ERROR,
    Experiment,
    Outcome,
    run,
)

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.claim: module.EXPERIMENT
    for module in (
        freshness_ceiling,
        many_dependencies,
        risk_split,
        factorisation,
        router_gain,
        exposure,
        freshness_alone,
    )
}
"""Each claim's experiment on an engine, by the claim's id."""

IN_EPISODES: dict[str, Experiment] = {
    module.EXPERIMENT.claim: module.EXPERIMENT
    for module in (factorisation_in_episodes, router_gain_in_episodes, freshness_alone_in_episodes)
}
"""A further experiment of some claims: streams through the ledger, routers and judges."""

__all__ = [
    "CONTROL_STRETCH",
    "DECISIONS",
    "EXPERIMENTS",
    "FAMILY_ERROR",
    "IN_EPISODES",
    "Experiment",
    "Outcome",
    "run",
]
