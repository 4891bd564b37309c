import pytest

from theory import factorisation
from theory.ceiling import split_shares
from theory.claims import CLAIMS, Proof, Step
from theory.claims import exposure as exposure_claim
from theory.claims import factorisation as factorisation_claim
from theory.claims import freshness_alone as freshness_alone_claim
from theory.claims import freshness_ceiling as freshness_ceiling_claim
from theory.claims import many_dependencies as many_dependencies_claim
from theory.claims import risk_split as risk_split_claim
from theory.claims import router_gain as router_gain_claim
from theory.claims.proof import identity, implication, limit, positive


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=list(CLAIMS))
def test_every_step_of_every_claim_is_established(claim):
    proof = claim.prove()
    assert [step.says for step in proof.steps if not step.holds] == []
    assert proof.proved
    assert claim.assumptions
    assert claim.statement
    assert claim.meaning.endswith(".")


def test_the_claims_are_those_of_the_theory_so_far():
    assert list(CLAIMS) == [
        "freshness-ceiling",
        "many-dependencies",
        "risk-split",
        "factorisation",
        "router-gain",
        "exposure",
        "freshness-alone",
    ]
    assert all(claim.id == name for name, claim in CLAIMS.items())


def _exp(x):
    import sympy

    return sympy.exp(x)


WRONG = {
    "the survival falls twice as fast": lambda: freshness_ceiling_claim.steps(
        lambda rate, time: _exp(-2 * rate * time)
    ),
    "the survival is linear": lambda: freshness_ceiling_claim.steps(
        lambda rate, time: 1 - rate * time
    ),
    "hazards do not add, they multiply": lambda: many_dependencies_claim.steps(
        lambda hazards, one_more: hazards * one_more
    ),
    "hazards do not add, the first one rules": lambda: many_dependencies_claim.steps(
        lambda hazards, one_more: hazards
    ),
    "a share is counted twice": lambda: risk_split_claim.steps(
        lambda d, r, a: (1 - d, d - a, r - a, a)
    ),
    "stale and late are swapped for recoverable": lambda: risk_split_claim.steps(
        lambda d, r, a: (d - r, 1 - d, r - a, a)
    ),
    "a share goes negative": lambda: risk_split_claim.steps(
        lambda d, r, a: (1 - r, r - d, d - a, a)
    ),
    "pi weighs the standing decisions": lambda: factorisation_claim.steps(
        lambda pi, K, rho, S, L: pi * K + (1 - pi) * (rho * S + (1 - rho) * L)
    ),
    "the lapse is forgotten": lambda: factorisation_claim.steps(
        lambda pi, K, rho, S, L: (1 - pi) * K + pi * rho * S
    ),
    "nothing is weighed by pi": lambda: factorisation_claim.steps(
        lambda pi, K, rho, S, L: K + pi * (rho * S + (1 - rho) * L)
    ),
    "the gain forgets the lapse": lambda: router_gain_claim.steps(
        lambda pi, a, b: (pi * (b[1] - a[1]) * a[2], (1 - pi) * (b[0] - a[0]), 0)
    ),
    "the judgment term uses the baseline's recall": lambda: router_gain_claim.steps(
        lambda pi, a, b: (
            *factorisation.gain_terms(pi, a, b)[:2],
            pi * (a[1] * (b[2] - a[2]) + (1 - a[1]) * (b[3] - a[3])),
        )
    ),
    "exposure raises the keep rate": lambda: exposure_claim.steps(
        lambda eps, K0, K1: (1 + eps) * K0 - eps * K1
    ),
    "the exposed are kept like the calm": lambda: exposure_claim.steps(lambda eps, K0, K1: K0),
    "no routing still switches": lambda: freshness_alone_claim.steps(
        lambda pi, K, rho, S, L: (1 - pi) * K + pi * S
    ),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=list(WRONG))
def test_a_wrong_formula_does_not_prove(wrong):
    assert not Proof(tuple(wrong())).proved


def test_the_right_formulas_prove_through_the_same_door():
    assert Proof(tuple(risk_split_claim.steps(split_shares))).proved
    assert Proof(tuple(factorisation_claim.steps(factorisation.accuracy))).proved
    assert Proof(tuple(router_gain_claim.steps(factorisation.gain_terms))).proved
    assert Proof(tuple(exposure_claim.steps(factorisation.keep_rate))).proved


def test_a_proof_without_steps_or_with_one_open_step_is_none():
    done = Step("It is so.", "1 = 1", "SymPy", True)
    assert Proof((done,)).proved
    assert not Proof(()).proved
    assert not Proof((done, Step("It may be so.", "x = 1", "z3", False))).proved


def test_steps_that_are_false_do_not_hold():
    import sympy
    import z3

    x = sympy.Symbol("x", real=True)
    y = z3.Real("y")
    zero = sympy.Integer(0)
    assert not identity("", x, x + 1).holds
    assert not positive("", x).holds
    assert not positive("", 1 - sympy.exp(-x)).holds
    assert not limit("", sympy.exp(-x), x, zero, zero).holds
    assert not implication("", "", [y > 0], y > 1).holds


def test_nothing_follows_from_a_contradiction():
    import z3

    y = z3.Real("y")
    assert not implication("", "", [y > 0, y < 0], y == 7).holds
    assert implication("", "", [y > 1], y > 0).holds
