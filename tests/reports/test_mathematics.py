import re
from xml.etree import ElementTree

import pytest

from reports.page.mathematics import breakable_mathml, mathml
from theory import BadInput
from theory.claims import CLAIMS

FORMULAS = sorted(
    {claim.statement for claim in CLAIMS.values()}
    | {step.formula for claim in CLAIMS.values() for step in claim.prove().steps}
)
WORDS = {"no change in", "none changes", "stale", "recoverable", "late", "safe", "lim", "act"}
WORDS |= {"routed", "none"}


@pytest.mark.parametrize("latex", FORMULAS)
def test_every_formula_becomes_mathematics_without_leftovers(latex):
    root = ElementTree.fromstring(mathml(latex))
    assert root.tag == "math"
    for element in root.iter():
        text = (element.text or "").replace("\xa0", " ").strip()
        assert not re.search(r"[\\{}^_$]", text)
        # A word among single letters would be a command that was spelled out.
        assert len(text) == 1 or not text.isalpha() or text in WORDS, text


@pytest.mark.parametrize("latex", [r"\unknown x", r"x \notacommand{y}"])
def test_a_command_without_an_element_is_refused(latex):
    with pytest.raises(BadInput, match="formula"):
        mathml(latex)


def test_a_prime_stands_beside_its_letter_and_a_sign_binds_to_what_follows():
    assert "msup" not in mathml("G' = 1")
    minus = ElementTree.fromstring(mathml(r"a = -\lambda")).findall(".//mo")[-1]
    assert minus.get("form") == "prefix"
    minus = ElementTree.fromstring(mathml("(a) - b")).findall(".//mo")[-1]
    assert minus.get("form") is None


def test_text_in_a_formula_is_escaped():
    assert "<script" not in mathml(r"\text{<script>} < 1")


def test_a_formula_breaks_before_relations_and_sums_but_within_no_bracket():
    pieces = re.findall("<math>.*?</math>", breakable_mathml(r"f(a + b) = (c - d) + e,\quad g"))
    texts = ["".join(ElementTree.fromstring(piece).itertext()) for piece in pieces]
    assert texts == ["f(a+b)", "=(c−d)", "+e,", "g"]
    for piece in pieces[1:3]:
        assert ElementTree.fromstring(piece)[0][0].get("form") == "infix"


@pytest.mark.parametrize("claim", CLAIMS)
def test_breaking_a_statement_loses_nothing_of_it(claim):
    statement = CLAIMS[claim].statement
    whole = "".join(ElementTree.fromstring(mathml(statement)).itertext())
    pieces = re.findall("<math>.*?</math>", breakable_mathml(statement))
    assert "".join("".join(ElementTree.fromstring(p).itertext()) for p in pieces) == whole
