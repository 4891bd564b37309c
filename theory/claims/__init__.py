"""The claims of the theory, one a file, each with its machine proof."""

from theory.claims import (
    exposure,
    factorisation,
    freshness_alone,
    freshness_ceiling,
    many_dependencies,
    risk_split,
    router_gain,
)
from theory.claims.claim import Claim
from theory.claims.proof import Proof, Step

CLAIMS: dict[str, Claim] = {
    module.CLAIM.id: module.CLAIM
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
"""Every claim by its id, in the order in which they build on each other."""

__all__ = ["CLAIMS", "Claim", "Proof", "Step"]
