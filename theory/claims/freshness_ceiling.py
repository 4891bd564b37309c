"""The freshness ceiling: however fresh its evidence, a decision ages with its facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theory.claims.claim import Claim
from theory.claims.decay import MEAN_VALUE_THEOREM, decay_steps, decays
from theory.claims.proof import Step, identity, implication


def survival(rate: Any, time: Any) -> Any:
    """exp(-rate time) on symbols."""
    import sympy

    return sympy.exp(-rate * time)


def steps(survival: Callable[[Any, Any], Any] = survival) -> list[Step]:
    """Prove the form of the survival, its split at the decision, and the bound."""
    import sympy
    import z3

    rate, time = sympy.symbols("lambda t", nonnegative=True)
    verified, decided, action = sympy.symbols("t_v t_d t_a", real=True)
    fresh, execution = decided - verified, action - decided
    curve = sympy.Function("G")
    solution = sympy.dsolve(curve(time).diff(time) + rate * curve(time), ics={curve(0): 1}).rhs
    age, early, late = z3.Reals("age early late")
    lam, gap = z3.Reals("lambda gap")
    return [
        identity(
            "A constant hazard is a survival G with G' = -lambda G and G(0) = 1; this solves it.",
            survival(rate, time),
            solution,
            formula=r"G' = -\lambda G,\ G(0) = 1 \Rightarrow G(t) = e^{-\lambda t}",
        ),
        identity(
            "The evidence's age at action is the freshness gap plus the execution gap.",
            action - verified,
            fresh + execution,
            formula="t_a - t_v = (t_d - t_v) + (t_a - t_d)",
        ),
        identity(
            "So the survival up to the action is the product over both gaps.",
            survival(rate, action - verified),
            survival(rate, fresh) * survival(rate, execution),
            formula=(
                r"e^{-\lambda (t_a - t_v)} = e^{-\lambda (t_d - t_v)}\, e^{-\lambda (t_a - t_d)}"
            ),
        ),
        *decay_steps(),
        implication(
            "The freshness gap's factor is at most 1, so the execution gap alone is a ceiling.",
            r"0 < a \le 1,\ 0 < b \Rightarrow a b \le b",
            [0 < early, early <= 1, 0 < late, age == early * late],
            age <= late,
        ),
        implication(
            "The ceiling is attained iff nothing can change between verification and decision.",
            r"a = e^{-\lambda g} \Rightarrow (a b = b \Leftrightarrow \lambda = 0 \vee g = 0)",
            [lam >= 0, gap >= 0, late > 0, *decays(lam * gap, early), age == early * late],
            (age == late) == z3.Or(lam == 0, gap == 0),
        ),
    ]


CLAIM = Claim(
    id="freshness-ceiling",
    title="Freshness ceiling",
    statement=(
        r"P(\text{no change in } (t_v, t_a]) = e^{-\lambda (t_a - t_v)} \le "
        r"e^{-\lambda D_{\text{act}}}"
    ),
    meaning=(
        "However fresh the evidence, a decision stays right at most with the chance that its fact "
        "survives the execution gap; evidence verified at the decision attains it."
    ),
    assumptions=("The fact changes at a constant hazard.", MEAN_VALUE_THEOREM),
    steps=steps,
)
