"""The factorisation of accuracy into what should change, what was routed and what was judged."""

from __future__ import annotations

from typing import Any

from theory.claims.claim import Claim
from theory.claims.proof import Step, identity, implication
from theory.factorisation import accuracy


def steps(accuracy: Any = accuracy) -> list[Step]:
    """Prove, of the very function that computes accuracy, its meaning, its range and its slope."""
    import sympy
    import z3

    standing, kept, delivered, acted, missed, lapsed = sympy.symbols(
        "n_0 k n_1 s_1 n_2 s_2", positive=True
    )
    changing, everyone = delivered + missed, standing + delivered + missed
    pi, K, rho, rho2, S, L = sympy.symbols("pi K rho rho' S L", real=True)
    symbols = {"pi": pi, "K": K, "S": S, "L": L}
    rates = z3.Reals("pi K rho S L")
    z_pi, z_K, z_rho, z_S, z_L = rates
    z_rho2 = z3.Real("rho2")
    in_range = [z3.And(rate >= 0, rate <= 1) for rate in rates]
    reached = z_rho * z_S + (1 - z_rho) * z_L
    A = accuracy(*rates)
    raised = accuracy(z_pi, z_K, z_rho2, z_S, z_L)
    return [
        identity(
            "Total probability: the rates of any sample make up its share of right decisions.",
            accuracy(
                changing / everyone,
                kept / standing,
                delivered / changing,
                acted / delivered,
                lapsed / missed,
            ),
            (kept + acted + lapsed) / everyone,
            formula=r"(1-\pi) K + \pi(\rho S + (1-\rho) L) = \frac{k + s_1 + s_2}{n_0 + n_1 + n_2}",
        ),
        implication(
            "The switch rate of changing decisions is a mean of S and L, so it lies in [0, 1].",
            r"0 \le \rho S + (1-\rho) L \le 1",
            in_range,
            z3.And(reached >= 0, reached <= 1),
        ),
        implication(
            "Accuracy is a mean of it and K, so it lies in [0, 1].",
            r"0 \le A \le 1",
            in_range,
            z3.And(A >= 0, A <= 1),
        ),
        identity(
            "The slope of accuracy in the recall.",
            sympy.diff(accuracy(rho=rho, **symbols), rho),
            pi * (S - L),
            formula=r"\frac{\partial A}{\partial \rho} = \pi (S - L)",
        ),
        identity(
            "It is the same everywhere: A is linear in the recall.",
            accuracy(rho=rho2, **symbols) - accuracy(rho=rho, **symbols),
            pi * (rho2 - rho) * (S - L),
            formula=r"A(\rho') - A(\rho) = \pi (\rho' - \rho)(S - L)",
        ),
        implication(
            "Where some decisions should change, accuracy rises with recall iff S > L.",
            r"\pi > 0,\ \rho' > \rho \Rightarrow (A(\rho') > A(\rho) \Leftrightarrow S > L)",
            [*in_range, z_pi > 0, z_rho2 > z_rho, z_rho2 <= 1],
            (raised > A) == (z_S > z_L),
        ),
    ]


CLAIM = Claim(
    id="factorisation",
    title="Factorisation",
    statement=r"A = (1-\pi) K + \pi\,(\rho S + (1-\rho) L)",
    meaning=(
        "Accuracy is made up of how many decisions should change, how often the others are kept, "
        "how often decisive news arrives, and how often a judge switches with it and without it."
    ),
    assumptions=(
        "Each decision should either stand or change, and is either kept or switched.",
        "A switched decision that should change is right: there is one alternative.",
    ),
    steps=steps,
)
