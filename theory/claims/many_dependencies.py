"""Several independent facts: their hazards add, and each one tightens the ceiling."""

from __future__ import annotations

from typing import Any

from theory.claims.claim import Claim
from theory.claims.decay import MEAN_VALUE_THEOREM, decay_steps, decays
from theory.claims.freshness_ceiling import survival
from theory.claims.proof import Step, identity, implication


def total(hazards: Any, one_more: Any) -> Any:
    """The hazard of several facts and one more."""
    return hazards + one_more


def steps(total: Any = total) -> list[Step]:
    """Prove the sum by induction over the number of facts, then that one more tightens."""
    import sympy
    import z3

    # SymPy cannot take the product over a symbolic number of facts, so it proves k -> k + 1.
    first, so_far, more, time = sympy.symbols("lambda_1 Lambda_k lambda_{k+1} t", nonnegative=True)
    before, factor, after = z3.Reals("before factor after")
    lam, gap = z3.Reals("lambda gap")
    one_more = [lam >= 0, gap > 0, before > 0, *decays(lam * gap, factor), after == before * factor]
    return [
        identity(
            "One fact: the ceiling has its own hazard.",
            survival(total(0, first), time),
            survival(first, time),
            formula=r"e^{-(0 + \lambda_1) t} = e^{-\lambda_1 t}",
        ),
        identity(
            "From k facts to k + 1: independent survivals multiply, and the hazards add.",
            survival(so_far, time) * survival(more, time),
            survival(total(so_far, more), time),
            formula=(
                r"e^{-\Lambda_k t}\, e^{-\lambda_{k+1} t} = e^{-(\Lambda_k + \lambda_{k+1}) t}"
            ),
        ),
        *decay_steps(),
        implication(
            "One more fact never raises the ceiling.",
            r"t > 0 \Rightarrow c\, e^{-\lambda t} \le c",
            one_more,
            after <= before,
        ),
        implication(
            "It lowers the ceiling strictly iff its hazard is positive.",
            r"t > 0 \Rightarrow (c\, e^{-\lambda t} < c \Leftrightarrow \lambda > 0)",
            one_more,
            (after < before) == (lam > 0),
        ),
    ]


CLAIM = Claim(
    id="many-dependencies",
    title="Many dependencies",
    statement=r"P(\text{none changes}) = e^{-(\lambda_1 + \dots + \lambda_k)\, t}",
    meaning=(
        "A decision that rests on several independent facts ages at the sum of their hazards; one "
        "more dependency tightens its ceiling strictly iff that dependency can change."
    ),
    assumptions=(
        "Each fact changes at a constant hazard.",
        "Facts change independently of each other.",
        MEAN_VALUE_THEOREM,
    ),
    steps=steps,
)
