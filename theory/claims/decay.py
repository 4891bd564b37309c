"""The steps that proofs share: 0 < exp(-x) <= 1 for x >= 0, with equality at 0 alone.

SymPy leaves `1 - exp(-x) > 0` undecided, so the step goes through the mean value theorem: it gives
exp(-x) = 1 + x d for some slope d of exp(-x) between 0 and x, and all slopes are negative.
"""

from __future__ import annotations

from typing import Any

from theory.claims.proof import Step, identity, implication, positive

MEAN_VALUE_THEOREM = (
    "The mean value theorem: between 0 and x the function exp(-x) takes its mean slope."
)


def decay_steps() -> list[Step]:
    """Prove that exp(-x) lies in (0, 1) for x > 0 and is 1 at x = 0."""
    import sympy
    import z3

    x = sympy.Symbol("x", real=True)
    decay = sympy.exp(-x)
    value, gap, slope = z3.Reals("value x slope")
    return [
        positive("An exponential is positive.", decay),
        identity(
            "Its slope is minus itself, so negative.",
            sympy.diff(decay, x),
            -decay,
            formula=r"\frac{d}{dx} e^{-x} = -e^{-x}",
        ),
        identity("It starts at 1.", decay.subs(x, 0), sympy.Integer(1), formula="e^{-0} = 1"),
        implication(
            "By the mean value theorem it is below 1 for every x > 0.",
            r"x > 0,\ e^{-x} = 1 + x d,\ d < 0 \Rightarrow e^{-x} < 1",
            [gap > 0, slope < 0, value == 1 + gap * slope],
            value < 1,
        ),
    ]


def decays(exponent: Any, value: Any) -> list[Any]:
    """What `decay_steps` proved of `value` = exp(-`exponent`), for z3."""
    import z3

    return [
        value > 0,
        z3.Implies(exponent > 0, value < 1),
        z3.Implies(exponent == 0, value == 1),
    ]
