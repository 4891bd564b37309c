"""An experiment for each claim of the theory, one a file."""

from sim.experiments import (
    exposure,
    factorisation,
    freshness_alone,
    freshness_ceiling,
    many_dependencies,
    risk_split,
    router_gain,
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
"""Each claim's experiment, by the claim's id."""

__all__ = [
    "CONTROL_STRETCH",
    "DECISIONS",
    "EXPERIMENTS",
    "FAMILY_ERROR",
    "Experiment",
    "Outcome",
    "run",
]
