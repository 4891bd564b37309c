from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from theory import BadInput, Factorisation, gain, gain_same_judge
from theory.factorisation import keep_rate
from theory.strategies import count_tables, factorisations, probabilities


def right_share(table):
    right = table.kept + table.switched_delivered + table.switched_missed
    return Fraction(right, table.standing + table.delivered + table.missed)


@given(count_tables())
def test_accuracy_from_counts_is_exact_also_with_empty_cells(table):
    assert Factorisation.from_counts(**table._asdict()).accuracy == right_share(table)


@given(count_tables(most=3))
def test_an_empty_cell_has_rate_zero_and_no_weight(table):
    rates = Factorisation.from_counts(**table._asdict())
    if table.standing == 0:
        assert (rates.K, rates.pi) == (0, 1)
    if table.delivered == 0:
        assert (rates.S, rates.rho) == (0, 0)
    if table.missed == 0:
        assert rates.L == 0


@given(factorisations())
def test_accuracy_is_a_probability(rates):
    assert -1e-12 <= rates.accuracy <= 1 + 1e-12


@given(factorisations(), probabilities(), probabilities())
def test_accuracy_rises_with_recall_iff_the_judge_acts_on_news(rates, low, high):
    assume(rates.pi > 0.01)
    assume(high - low > 0.01)
    assume(abs(rates.S - rates.L) > 0.01)
    at_low, at_high = (
        Factorisation(rates.pi, rates.K, rho, rates.S, rates.L).accuracy for rho in (low, high)
    )
    assert (at_high > at_low) == (rates.S > rates.L)


@given(count_tables(), st.data())
def test_the_three_terms_of_the_gain_add_up_exactly(table, data):
    changing = table.delivered + table.missed
    delivered = data.draw(st.integers(0, changing))
    other = table._replace(
        kept=data.draw(st.integers(0, table.standing)),
        delivered=delivered,
        missed=changing - delivered,
        switched_delivered=data.draw(st.integers(0, delivered)),
        switched_missed=data.draw(st.integers(0, changing - delivered)),
    )
    a, b = (Factorisation.from_counts(**counts._asdict()) for counts in (table, other))
    split = gain(a, b)
    assert split.total == right_share(other) - right_share(table)
    assert split.exposure == (1 - a.pi) * (b.K - a.K)
    back = gain(b, a)
    assert back.total == -split.total


@given(factorisations(), probabilities(), probabilities())
def test_the_papers_form_is_the_general_one_for_one_judge(a, rho, K):
    assume(0 < a.pi < 1)
    assume(0 < a.rho < 1)
    assume(0 < rho < 1)
    b = Factorisation(a.pi, K, rho, a.S, a.L)
    assert gain_same_judge(a, b) == pytest.approx(b.accuracy - a.accuracy, abs=1e-12)
    assert gain(a, b).judgment == pytest.approx(0.0, abs=1e-12)


def test_a_rate_with_an_empty_cell_takes_the_other_runs_value():
    none = Factorisation.from_counts(
        standing=4, kept=4, delivered=0, switched_delivered=0, missed=4, switched_missed=1
    )
    full = Factorisation.from_counts(
        standing=4, kept=3, delivered=4, switched_delivered=3, missed=0, switched_missed=0
    )
    split = gain(none, full)
    # S is empty in `none` and L in `full`: both are taken over, so nothing is left to judgment.
    assert split.judgment == 0
    assert split.routing == Fraction(1, 2) * (Fraction(3, 4) - Fraction(1, 4))
    assert gain_same_judge(none, full) == split.total


def test_no_changing_decision_leaves_only_exposure():
    a, b = (
        Factorisation.from_counts(
            standing=4, kept=kept, delivered=0, switched_delivered=0, missed=0, switched_missed=0
        )
        for kept in (2, 3)
    )
    assert gain(a, b) == (0, Fraction(1, 4), 0)


@given(probabilities(), probabilities(), probabilities())
def test_the_keep_rate_lies_between_calm_and_exposed(exposed, calm, misled):
    low, high = sorted((calm, misled))
    assert low - 1e-12 <= keep_rate(exposed, calm, misled) <= high + 1e-12
    assert calm - keep_rate(exposed, calm, misled) == pytest.approx(exposed * (calm - misled))


@pytest.mark.parametrize(
    ("counts", "field"),
    [
        ((-1, 0, 0, 0, 1, 0), "kept"),
        ((2, 3, 0, 0, 0, 0), "kept"),
        ((2, 1, 1, 2, 0, 0), "switched_delivered"),
        ((2, 1, 1, 1, 0, 1), "switched_missed"),
        ((0, 0, 0, 0, 0, 0), "standing"),
    ],
)
def test_counts_that_cannot_be_are_refused_by_name(counts, field):
    names = ("standing", "kept", "delivered", "switched_delivered", "missed", "switched_missed")
    with pytest.raises(BadInput) as refused:
        Factorisation.from_counts(**dict(zip(names, counts, strict=True)))
    assert refused.value.field == field


@pytest.mark.parametrize("name", ["pi", "K", "rho", "S", "L"])
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_rates_outside_zero_to_one_are_refused_by_name(name, value):
    with pytest.raises(BadInput, match=rf"^{name}\(="):
        Factorisation(**{**dict.fromkeys(("pi", "K", "rho", "S", "L"), 0.5), name: value})


def test_runs_on_other_decisions_or_by_other_judges_are_refused():
    a = Factorisation(0.5, 0.9, 0.5, 0.9, 0.1)
    with pytest.raises(BadInput, match=r"b\.pi"):
        gain(a, Factorisation(0.4, 0.9, 0.5, 0.9, 0.1))
    with pytest.raises(BadInput, match=r"b\.S"):
        gain_same_judge(a, Factorisation(0.5, 0.9, 0.5, 0.8, 0.1))
    with pytest.raises(BadInput, match=r"b\.L"):
        gain_same_judge(a, Factorisation(0.5, 0.9, 0.5, 0.9, 0.2))
