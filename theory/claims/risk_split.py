"""Where the risk lies: four shares that add to 1, one of which routing can win back."""

from __future__ import annotations

from typing import Any

from theory.ceiling import RiskSplit, split_shares
from theory.claims.claim import Claim
from theory.claims.decay import MEAN_VALUE_THEOREM, decay_steps, decays
from theory.claims.freshness_ceiling import survival
from theory.claims.proof import Step, identity, implication, limit


def steps(shares: Any = split_shares) -> list[Step]:
    """Prove, of the very function that computes the shares, their sum, range, gain and limit."""
    import sympy
    import z3

    rate = sympy.Symbol("Lambda", nonnegative=True)
    verified, decided, deadline, action = sympy.symbols("t_v t_d t_r t_a", real=True)
    up_to = {time: survival(rate, time - verified) for time in (decided, deadline, action)}
    split = RiskSplit(*shares(up_to[decided], up_to[deadline], up_to[action]))

    lam, fresh, window, rest = z3.Reals("Lambda fresh window rest")
    held, kept, stayed = z3.Reals("held kept stayed")
    gaps = [lam >= 0, fresh >= 0, window > 0, rest >= 0]
    factors = [
        *decays(lam * fresh, held),
        *decays(lam * window, kept),
        *decays(lam * rest, stayed),
    ]
    real = RiskSplit(*shares(held, held * kept, held * kept * stayed))
    return [
        identity(
            "The four shares add to 1.",
            sum(split),
            sympy.Integer(1),
            formula=r"\text{stale} + \text{recoverable} + \text{late} + \text{safe} = 1",
        ),
        identity(
            "Survival up to the deadline is that up to the decision times that of the window.",
            up_to[deadline],
            up_to[decided] * survival(rate, deadline - decided),
            formula=(
                r"e^{-\Lambda (t_r - t_v)} = e^{-\Lambda (t_d - t_v)}\, e^{-\Lambda (t_r - t_d)}"
            ),
        ),
        identity(
            "Survival up to the action is that up to the deadline times that of the rest.",
            up_to[action],
            up_to[deadline] * survival(rate, action - deadline),
            formula=(
                r"e^{-\Lambda (t_a - t_v)} = e^{-\Lambda (t_r - t_v)}\, e^{-\Lambda (t_a - t_r)}"
            ),
        ),
        *decay_steps(),
        *(
            implication(
                f"The {name} share is a probability.",
                rf"0 \le \text{{{name}}} \le 1",
                [*gaps, *factors],
                z3.And(share >= 0, share <= 1),
            )
            for name, share in zip(RiskSplit._fields, real, strict=True)
        ),
        identity(
            "The routed ceiling exceeds the accuracy without routing by the recoverable share.",
            split.routed_ceiling - split.safe,
            split.recoverable,
            formula=r"(\text{safe} + \text{recoverable}) - \text{safe} = \text{recoverable}",
        ),
        implication(
            "That share is positive iff a fact can change.",
            r"t_r > t_d \Rightarrow (\text{recoverable} > 0 \Leftrightarrow \Lambda > 0)",
            [*gaps, *factors],
            (real.recoverable > 0) == (lam > 0),
        ),
        limit(
            "It vanishes as the deadline falls to the decision.",
            split.recoverable,
            deadline,
            decided,
            sympy.Integer(0),
        ),
    ]


CLAIM = Claim(
    id="risk-split",
    title="Risk split",
    statement=(
        r"\text{stale} + \text{recoverable} + \text{late} + \text{safe} = 1,\quad "
        r"A_{\text{routed}} - A_{\text{none}} = \text{recoverable}"
    ),
    meaning=(
        "The risk falls into what freshness, what routing and what nothing can win back; perfect "
        "routing gains exactly the share whose first change is news before the deadline."
    ),
    assumptions=(
        "Facts change independently, each at a constant hazard.",
        "What is published is each decision's first change, at once.",
        "Routing and judgment are perfect where the routed ceiling is concerned.",
        MEAN_VALUE_THEOREM,
    ),
    steps=steps,
)
