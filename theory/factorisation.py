"""Where a routed decision's accuracy comes from, and the gain of one router over another.

A = (1 - pi) K + pi (rho S + (1 - rho) L), by total probability over the decisions that should
stand or change, and over those whose decisive news arrived or not (arXiv 2610.18126).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, Self, TypeAlias, TypeVar

from theory.errors import BadInput

Rate: TypeAlias = float | Fraction
Number = TypeVar("Number")


class Gain(NamedTuple):
    """The accuracy that a run gains over a baseline on the same decisions, by where it arises."""

    routing: Rate
    """More decisive news delivered: pi (rho' - rho)(S - L)."""
    exposure: Rate
    """Standing decisions kept more often: (1 - pi)(K' - K)."""
    judgment: Rate
    """Other switch rates: pi [rho'(S' - S) + (1 - rho')(L' - L)]."""

    @property
    def total(self) -> Rate:
        """A' - A, exactly."""
        return self.routing + self.exposure + self.judgment


@dataclass(frozen=True)
class Factorisation:
    """The five rates that make up accuracy, floats or exact `Fraction`s, each in [0, 1]."""

    pi: Rate
    """Share of decisions that should change."""
    K: Rate
    """Keep rate among decisions that should stand."""
    rho: Rate
    """Routing recall: share of changing *decisions* with at least one decisive delivery."""
    S: Rate
    """Switch rate of changing decisions whose decisive news was delivered."""
    L: Rate
    """Switch rate of changing decisions whose decisive news was not: the lapse."""

    def __post_init__(self) -> None:
        for name, rate in vars(self).items():
            if not 0 <= rate <= 1:
                raise BadInput(name, rate, "must be between 0 and 1")

    @classmethod
    def from_counts(
        cls,
        *,
        standing: int,
        kept: int,
        delivered: int,
        switched_delivered: int,
        missed: int,
        switched_missed: int,
    ) -> Self:
        """The rates of a finite sample in rational arithmetic: `accuracy` is then exact.

        `standing` decisions should stand, of which `kept` were kept; `delivered` and `missed` ones
        should change, with and without their decisive news, of which `switched_*` were switched.
        An empty cell's rate is 0, and so is its weight.
        """
        for name, part, whole_name, whole in (
            ("kept", kept, "standing", standing),
            ("switched_delivered", switched_delivered, "delivered", delivered),
            ("switched_missed", switched_missed, "missed", missed),
        ):
            if not 0 <= part <= whole:
                raise BadInput(name, part, f"must be between 0 and {whole_name}(={whole})")
        changing = delivered + missed
        if standing + changing == 0:
            raise BadInput("standing", standing, "must leave at least one decision")
        return cls(
            pi=Fraction(changing, standing + changing),
            K=_share(kept, standing),
            rho=_share(delivered, changing),
            S=_share(switched_delivered, delivered),
            L=_share(switched_missed, missed),
        )

    @property
    def accuracy(self) -> Rate:
        """A, the share of decisions that end up right."""
        return accuracy(self.pi, self.K, self.rho, self.S, self.L)

    def _empty(self) -> set[str]:
        """The rates whose cell holds no decision."""
        weights = {
            "K": 1 - self.pi,
            "rho": self.pi,
            "S": self.pi * self.rho,
            "L": self.pi * (1 - self.rho),
        }
        return {name for name, weight in weights.items() if weight == 0}

    def _filled_from(self, other: Self) -> Self:
        """Each empty cell's rate taken from `other`; 0 where both are empty."""
        theirs = other._empty()
        return replace(
            self,
            **{name: 0 if name in theirs else getattr(other, name) for name in self._empty()},
        )


# The formulas stand apart from the class so that they take any numbers, symbols included: the
# machine proofs of `theory.claims` are about these very functions.


def accuracy(pi: Number, K: Number, rho: Number, S: Number, L: Number) -> Number:
    """(1 - pi) K + pi (rho S + (1 - rho) L)."""
    return (1 - pi) * K + pi * (rho * S + (1 - rho) * L)  # type: ignore[operator, no-any-return]


def keep_rate(exposed: Number, K0: Number, K1: Number) -> Number:
    """K = (1 - eps) K0 + eps K1, with eps the share of standing decisions that are exposed."""
    return (1 - exposed) * K0 + exposed * K1  # type: ignore[operator, no-any-return]


def gain(a: Factorisation, b: Factorisation) -> Gain:
    """The gain of `b` over the baseline `a` on the same decisions, split exactly into three terms.

    A rate with an empty cell takes the other run's value, 0 if both are empty. Refuses runs whose
    `pi` differ: they are not the same decisions.
    """
    if a.pi != b.pi:
        raise BadInput("b.pi", b.pi, f"must equal a.pi(={a.pi}): gains compare the same decisions")
    x, y = a._filled_from(b), b._filled_from(a)
    return Gain(*gain_terms(x.pi, (x.K, x.rho, x.S, x.L), (y.K, y.rho, y.S, y.L)))


def gain_terms(
    pi: Number,
    a: tuple[Number, Number, Number, Number],
    b: tuple[Number, Number, Number, Number],
) -> tuple[Number, Number, Number]:
    """Routing, exposure and judgment terms of the gain; `a` and `b` are (K, rho, S, L)."""
    K, rho, S, L = a
    K2, rho2, S2, L2 = b
    return (
        pi * (rho2 - rho) * (S - L),  # type: ignore[operator]
        (1 - pi) * (K2 - K),  # type: ignore[operator]
        pi * (rho2 * (S2 - S) + (1 - rho2) * (L2 - L)),  # type: ignore[operator]
    )


def gain_same_judge(a: Factorisation, b: Factorisation) -> Rate:
    """The paper's form, for one judge with equal `S` and `L` under both routers.

    pi (rho' - rho)(S - L) + (1 - pi)(K' - K); refuses runs whose `S` or `L` differ.
    """
    terms = gain(a, b)
    x, y = a._filled_from(b), b._filled_from(a)
    for name in ("S", "L"):
        ours, theirs = getattr(x, name), getattr(y, name)
        if ours != theirs:
            raise BadInput(f"b.{name}", theirs, f"must equal a.{name}(={ours}) in this form")
    return terms.routing + terms.exposure


def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)
