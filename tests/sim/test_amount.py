"""Cells that play until they are precise."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import sweep
from sim.amount import about, counted
from sim.ceiling_cell import ceiling_cell, ceiling_cells
from sim.factorisation_cell import factorisation_cell, factorisation_cells
from theory.inference import binomial_p_value


@settings(max_examples=50)
@given(st.floats(0, 1), st.floats(0.005, 0.2), st.floats(0.001, 0.5), st.integers(1, 30_000))
def test_a_cell_ends_when_it_is_precise_or_has_played_the_most(share, precision, alpha, most):
    rng = np.random.default_rng(1)
    looks = []

    def count(decisions):
        looks.append(decisions)
        return {"right": int(rng.binomial(decisions, share))}

    found = counted({"precision": precision, "alpha": alpha, "most": most}, count, ("right",))
    assert found.decisions == sum(looks) <= most
    assert found.half_width <= precision or found.decisions == most
    assert found.successes == found.counts["right"]
    assert min(looks) >= 1


def test_a_precise_cell_takes_about_what_is_needed():
    [cell] = ceiling_cells(hazard=np.log(2) / 24, precision=0.01)
    row = ceiling_cell(cell, np.random.default_rng(2))
    assert 0.8 * about(cell) < row["decisions"] < 1.05 * about(cell)


@pytest.mark.parametrize(
    ("make", "cell", "rates"),
    [
        (ceiling_cells, ceiling_cell, {}),
        (factorisation_cells, factorisation_cell, {"recall": 0.7, "K": 0.9, "L": 0.1}),
    ],
)
def test_limits_of_precise_cells_miss_the_prediction_no_more_often_than_allowed(make, cell, rates):
    """Null: a cell's limits miss with chance <= 20 %. 200 cells, exact one-sided test at 1e-6."""
    frame = sweep(
        make(hazard=0.02, precision=0.02, alpha=0.2, **rates), cell, replicates=200, seed=3
    )
    assert (frame["half_width"] <= 0.02).all()
    missed = frame.filter(~frame["predicted"].is_between(frame["low"], frame["high"])).height
    assert binomial_p_value(missed, 200, 0.2, side="above") > 1e-6


def test_a_decision_s_draws_do_not_depend_on_the_looks():
    """Routers are compared on the same decisions, however many each of them plays."""
    [cell] = factorisation_cells(hazard=0.05, recall=0.6, K=0.9, S=0.8, L=0.1, precision=0.01)
    row = factorisation_cell(cell, np.random.default_rng(4))
    fixed = {name: it for name, it in cell.items() if name not in ("precision", "alpha", "most")}
    at_once = factorisation_cell({**fixed, "decisions": row["decisions"]}, np.random.default_rng(4))
    for name in ("standing", "kept", "delivered", "switched_delivered", "missed"):
        assert row[name] == at_once[name]


def test_a_fixed_number_of_decisions_is_reported_as_a_parameter_alone():
    frame = sweep(ceiling_cells(decisions=100), ceiling_cell)
    assert frame.columns.index("decisions") < frame.columns.index("replicate")
    assert "half_width" not in frame.columns
    assert frame.schema["decisions"] == pl.Int64
