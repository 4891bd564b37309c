"""Machine proofs: each step is decided by SymPy or by z3, and a step that is not decided fails.

SymPy proves identities, derivatives and limits by reducing a difference to zero. z3 proves
inequalities over the reals by finding that their negation has no model; it also has to find a model
of what a step assumes, since anything follows from a contradiction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from sympy import Expr, Symbol

_Z3_PATIENCE_MS = 20_000


@dataclass(frozen=True)
class Step:
    """One step of a proof and whether the machine established it."""

    says: str
    """The step in words."""
    formula: str
    """The step in LaTeX."""
    by: Literal["SymPy", "z3"]
    """What decided it."""
    holds: bool
    """Whether it was established; False where it is wrong or undecided."""


@dataclass(frozen=True)
class Proof:
    """All steps of a proof."""

    steps: tuple[Step, ...]

    @property
    def proved(self) -> bool:
        """Whether there is a step and every one was established."""
        return bool(self.steps) and all(step.holds for step in self.steps)


def identity(says: str, left: Expr, right: Expr, *, formula: str | None = None) -> Step:
    """`left` equals `right` for all values of their symbols, by SymPy."""
    import sympy

    difference = sympy.simplify(sympy.expand(sympy.sympify(left) - sympy.sympify(right)))
    shown = formula or f"{sympy.latex(left)} = {sympy.latex(right)}"
    return Step(says, shown, "SymPy", bool(difference == 0))


def positive(says: str, expression: Expr) -> Step:
    """`expression` is > 0 under the assumptions that its symbols carry, by SymPy."""
    import sympy

    return Step(says, f"{sympy.latex(expression)} > 0", "SymPy", expression.is_positive is True)


def limit(says: str, expression: Expr, symbol: Symbol, point: Expr, value: Expr) -> Step:
    """`expression` tends to `value` as `symbol` falls to `point`, by SymPy."""
    import sympy

    found = sympy.limit(expression, symbol, point, dir="+")
    shown = (
        rf"\lim_{{{sympy.latex(symbol)} \to {sympy.latex(point)}^+}} "
        rf"\left({sympy.latex(expression)}\right) = {sympy.latex(value)}"
    )
    return Step(says, shown, "SymPy", bool(sympy.simplify(found - value) == 0))


def implication(says: str, formula: str, given: Sequence[Any], then: Any) -> Step:
    """`then` holds for all reals that satisfy `given`, by z3; `given` must be satisfiable."""
    import z3

    def status(*constraints: Any) -> Any:
        solver = z3.Solver()
        solver.set("timeout", _Z3_PATIENCE_MS)
        solver.add(*constraints)
        return solver.check()

    holds = status(*given) == z3.sat and status(*given, z3.Not(then)) == z3.unsat
    return Step(says, formula, "z3", holds)
