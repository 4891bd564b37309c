"""Freshness alone: without routing, exactly the decisions that should stand are right."""

from __future__ import annotations

from typing import Any

from theory.claims.claim import Claim
from theory.claims.freshness_ceiling import survival
from theory.claims.proof import Step, identity
from theory.factorisation import accuracy


def steps(accuracy: Any = accuracy) -> list[Step]:
    """Prove, of the very function that computes accuracy, prediction P1 and its tie to hazards."""
    import sympy

    pi, S, rate = sympy.symbols("pi S Lambda", nonnegative=True)
    verified, action = sympy.symbols("t_v t_a", real=True)
    still_holds = survival(rate, action - verified)
    keep_all = accuracy(pi, 1, 0, S, 0)
    return [
        identity(
            "No routing (rho = 0) and a judge that is never asked (K = 1, L = 0).",
            keep_all,
            1 - pi,
            formula=r"\rho = 0,\ K = 1,\ L = 0 \Rightarrow A = 1 - \pi",
        ),
        identity(
            "It does not depend on how well the judge would have acted.",
            sympy.diff(keep_all, S),
            sympy.Integer(0),
            formula=r"\frac{\partial A}{\partial S} = 0",
        ),
        identity(
            "If a decision should change iff a fact changed, that is the survival.",
            accuracy(1 - still_holds, 1, 0, S, 0),
            still_holds,
            formula=r"\pi = 1 - e^{-\Lambda (t_a - t_v)} \Rightarrow A = e^{-\Lambda (t_a - t_v)}",
        ),
    ]


CLAIM = Claim(
    id="freshness-alone",
    title="Freshness alone",
    statement=r"\rho = 0,\ K = 1,\ L = 0 \;\Rightarrow\; A = 1 - \pi",
    meaning=(
        "Without routing nothing is revised, so accuracy is exactly the share of decisions that "
        "should stand (the paper's prediction P1)."
    ),
    assumptions=(
        "A decision that is not revised is kept.",
        "Tied to hazards: a decision should change iff a fact it rests on changes in (t_v, t_a].",
    ),
    steps=steps,
)
