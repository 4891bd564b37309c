"""The gain of one router over another, in the paper's form and in general."""

from __future__ import annotations

from typing import Any

from theory.claims.claim import Claim
from theory.claims.proof import Step, identity
from theory.factorisation import accuracy, gain_terms


def steps(gain_terms: Any = gain_terms) -> list[Step]:
    """Prove, of the very function that splits the gain, that its terms add up in both forms."""
    import sympy

    pi, K, K2, rho, rho2 = sympy.symbols("pi K K' rho rho'", real=True)
    S, S2, L, L2 = sympy.symbols("S S' L L'", real=True)
    zero = sympy.Integer(0)
    routing, exposure, judgment = gain_terms(pi, (K, rho, S, L), (K2, rho2, S2, L2))
    same_judge = gain_terms(pi, (K, rho, S, L), (K2, rho2, S, L))
    before = accuracy(pi, K, rho, S, L)
    return [
        identity(
            "In general the three terms add up to the difference of the accuracies.",
            routing + exposure + judgment,
            accuracy(pi, K2, rho2, S2, L2) - before,
            formula=(
                r"A' - A = \pi(\rho'-\rho)(S-L) + (1-\pi)(K'-K)"
                r" + \pi\,[\rho'(S'-S) + (1-\rho')(L'-L)]"
            ),
        ),
        identity(
            "With equal S and L the judgment term vanishes.",
            same_judge[2],
            zero,
            formula=r"S' = S,\ L' = L \Rightarrow \pi\,[\rho'(S'-S) + (1-\rho')(L'-L)] = 0",
        ),
        identity(
            "What is left is the paper's form.",
            sum(same_judge),
            accuracy(pi, K2, rho2, S, L) - before,
            formula=r"A' - A = \pi(\rho'-\rho)(S-L) + (1-\pi)(K'-K)",
        ),
        *(
            identity(
                f"A rate whose cell is empty may take any value: {rate} where {where} = {value}.",
                sympy.diff(before, rate).subs(where, value),
                zero,
                formula=(
                    rf"{sympy.latex(where)} = {value} \Rightarrow "
                    rf"\frac{{\partial A}}{{\partial {sympy.latex(rate)}}} = 0"
                ),
            )
            for rate, where, value in (
                (K, pi, 1),
                (rho, pi, 0),
                (S, pi, 0),
                (L, pi, 0),
                (S, rho, 0),
                (L, rho, 1),
            )
        ),
    ]


CLAIM = Claim(
    id="router-gain",
    title="Router gain",
    statement=r"A' - A = \pi(\rho'-\rho)(S-L) + (1-\pi)(K'-K)",
    meaning=(
        "With one judge, a router gains what its extra recall is worth to that judge, less what "
        "its extra deliveries cost among decisions that should stand."
    ),
    assumptions=(
        "Both routers face the same decisions.",
        "In the paper's form the judge's S and L are the same under both routers.",
    ),
    steps=steps,
)
