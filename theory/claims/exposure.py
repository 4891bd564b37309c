"""What misleading deliveries cost: the keep rate falls with the share of decisions exposed."""

from __future__ import annotations

from typing import Any

from theory.claims.claim import Claim
from theory.claims.proof import Step, identity, implication
from theory.factorisation import accuracy, keep_rate


def steps(keep_rate: Any = keep_rate) -> list[Step]:
    """Prove, of the very function that computes the keep rate, its meaning, range and cost."""
    import sympy
    import z3

    calm, kept_calm, exposed, kept_exposed = sympy.symbols("n_0 k_0 n_1 k_1", positive=True)
    eps, K0, K1, pi, rho, S, L = sympy.symbols("varepsilon K_0 K_1 pi rho S L", real=True)
    z_eps, z_K0, z_K1 = rates = z3.Reals("eps K0 K1")
    in_range = [z3.And(rate >= 0, rate <= 1) for rate in rates]
    K = keep_rate(z_eps, z_K0, z_K1)
    return [
        identity(
            "Total probability over standing decisions with and without a misleading delivery.",
            keep_rate(exposed / (calm + exposed), kept_calm / calm, kept_exposed / exposed),
            (kept_calm + kept_exposed) / (calm + exposed),
            formula=r"(1-\varepsilon) K_0 + \varepsilon K_1 = \frac{k_0 + k_1}{n_0 + n_1}",
        ),
        implication(
            "The keep rate is a mean of both, so it lies in [0, 1].",
            r"0 \le K \le 1",
            in_range,
            z3.And(K >= 0, K <= 1),
        ),
        identity(
            "Exposure costs its share times the difference of the keep rates.",
            keep_rate(0, K0, K1) - keep_rate(eps, K0, K1),
            eps * (K0 - K1),
            formula=r"K_0 - K = \varepsilon (K_0 - K_1)",
        ),
        identity(
            "In accuracy, that much of the decisions that should stand.",
            accuracy(pi, keep_rate(0, K0, K1), rho, S, L)
            - accuracy(pi, keep_rate(eps, K0, K1), rho, S, L),
            (1 - pi) * eps * (K0 - K1),
            formula=r"A(0) - A(\varepsilon) = (1-\pi)\,\varepsilon (K_0 - K_1)",
        ),
        implication(
            "It costs something iff some are exposed and exposure misleads.",
            r"K < K_0 \Leftrightarrow \varepsilon > 0 \wedge K_1 < K_0",
            in_range,
            (K < z_K0) == z3.And(z_eps > 0, z_K1 < z_K0),
        ),
    ]


CLAIM = Claim(
    id="exposure",
    title="Exposure",
    statement=r"K = (1-\varepsilon) K_0 + \varepsilon K_1",
    meaning=(
        "Every standing decision that is shown related but harmless news risks a needless switch; "
        "the cost is the share exposed times the drop in its keep rate."
    ),
    assumptions=(
        "A standing decision is exposed when a related non-decisive notice or a trap reaches it.",
    ),
    steps=steps,
)
