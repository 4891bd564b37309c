"""The swept experiments: their cells, predictions, and common draws for routers and judges."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import grid, sweep
from sim.ceiling_cell import ceiling_cell
from sim.episode_cell import episode_cell, episode_cells
from sim.factorisation_cell import BLOCK, factorisation_cell, factorisation_cells
from sim.sweep import FailedCells
from sim.swept import ROUTED, SWEPT
from theory import BadInput, Factorisation, strategies
from theory.inference import binomial_p_value, holm

COUNTS = (
    "standing",
    "kept",
    "delivered",
    "switched_delivered",
    "missed",
    "switched_missed",
)
shares = st.floats(0, 1)


@settings(max_examples=50)
@given(
    strategies.rates(), st.floats(0.01, 200), shares, shares, shares, shares, st.integers(1, 300)
)
def test_a_factorisation_cell_s_counts_make_up_its_accuracy(
    hazard, gap, recall, K, S, L, decisions
):
    [cell] = factorisation_cells(
        hazard=hazard, gap=gap, recall=recall, K=K, S=S, L=L, decisions=decisions
    )
    row = factorisation_cell(cell, np.random.default_rng(0))
    exact = Factorisation.from_counts(**{name: row[name] for name in COUNTS})
    assert row["standing"] + row["delivered"] + row["missed"] == decisions
    assert row["accuracy"] == float(exact.accuracy)
    assert row["low"] <= row["accuracy"] <= row["high"]
    assert 0 <= row["predicted"] <= 1


def test_a_grid_of_factorisation_cells_meets_its_predictions_and_not_those_of_a_worse_router():
    """Null: each cell's accuracy is `predicted`. Exact tests, Holm at 1e-6 over 32 cells; what a
    router with 0.1 less recall would reach is rejected.
    """
    cells = factorisation_cells(
        hazard=[0.01, 0.05], gap=[24, 96], window=20, recall=[0.5, 1], K=[0.9, 1], L=[0, 0.2], S=0.9
    )
    frame = sweep(cells, factorisation_cell, seed=4, common=ROUTED)
    right = frame.select(pl.sum_horizontal("kept", "switched_delivered", "switched_missed"))
    recalls = {0.5: 0.4, 1.0: 0.9}
    worse = sweep(
        [{**cell, "recall": recalls[cell["recall"]], "decisions": 1} for cell in cells],
        factorisation_cell,
    )
    p_values, wrong = (
        binomial_p_value(right.to_series().to_numpy(), 20_000, predicted.to_numpy())
        for predicted in (frame["predicted"], worse["predicted"])
    )
    assert not holm(p_values, 1e-6).any()
    assert holm(wrong, 1e-6).any()


def test_routers_and_judges_are_compared_on_the_same_draws():
    """A better router delivers all that a worse one does, and the facts are the same."""
    cells = factorisation_cells(hazard=0.05, recall=[0.2, 0.6, 1.0], K=[0.7, 0.9], decisions=5_000)
    common = sweep(cells, factorisation_cell, common=ROUTED)
    assert common["standing"].n_unique() == 1
    for _, same_recall in common.group_by("recall"):
        assert same_recall["delivered"].n_unique() == 1
    apart = sweep(cells, factorisation_cell)
    assert apart["standing"].n_unique() > 1


def test_decisions_are_played_in_blocks():
    row = factorisation_cell(grid(decisions=BLOCK + 1)[0], np.random.default_rng(0))
    assert row["standing"] + row["delivered"] + row["missed"] == BLOCK + 1


def test_episodes_are_swept_over_streams_routers_and_judges():
    cells = episode_cells(
        stream=["indirect", "natural"],
        router=["none", "bm25-dossier", "decisive"],
        judge=["perfect", "strong"],
        decisions=32,
        window=24,
    )
    frame = sweep(cells, episode_cell, common=ROUTED)
    assert frame["error"].null_count() == frame.height == 12
    for _, made in frame.group_by("stream"):
        assert made.filter(router="none")["accuracy"].n_unique() == 1  # the same stream
        assert (made["traps"] <= made["lures"]).all()
    perfect = frame.filter(stream="indirect", router="decisive", judge="perfect")
    assert perfect["accuracy"].to_list() == [1.0]
    assert frame.filter(stream="natural")["hazard"].null_count() == 0
    assert frame.filter(stream="indirect")["hazard"].null_count() == 6


@pytest.mark.parametrize("experiment", SWEPT)
def test_any_subset_of_parameters_makes_cells_and_so_does_none(experiment):
    swept = SWEPT[experiment]
    assert len(swept.cells()) == 1
    few = grid(decisions=16, seed=range(3))
    frame = sweep(few, swept.function)
    assert frame["error"].null_count() == 3
    [whole] = swept.cells(decisions=16)
    rng = np.random.default_rng
    assert swept.function(whole, rng(1)) == swept.function({"decisions": 16}, rng(1))


@pytest.mark.parametrize("experiment", SWEPT)
def test_a_misspelt_parameter_is_an_error_of_its_cell(experiment):
    with pytest.warns(FailedCells, match="gapp"):
        frame = sweep(grid(gapp=1.0), SWEPT[experiment].function)
    assert "is no parameter" in frame["error"][0]


@pytest.mark.parametrize(
    ("experiment", "axes", "field"),
    [
        ("factorisation", {"recall": 1.1}, "recall"),
        ("factorisation", {"K": [0.5, -0.1]}, "K"),
        ("factorisation", {"S": float("nan")}, "S"),
        ("factorisation", {"L": []}, "L"),
        ("factorisation", {"gap": 0}, "gap"),
        ("factorisation", {"window": 25, "gap": 24}, "window"),
        ("factorisation", {"decisions": 0.5}, "decisions"),
        ("episode", {"stream": "nonesuch"}, "stream"),
        ("episode", {"router": ["none", "nonesuch"]}, "router"),
        ("episode", {"judge": "nonesuch"}, "judge"),
        ("episode", {"k": 0}, "k"),
        ("episode", {"slots": 0}, "slots"),
        ("episode", {"hazard": 0.1}, "hazard"),
        ("episode", {"stream": ["natural", "direct"], "facts": 2}, "facts"),
        ("episode", {"traps": 2}, "traps"),
    ],
)
def test_cells_that_cannot_be_are_refused(experiment, axes, field):
    with pytest.raises(BadInput) as refused:
        SWEPT[experiment].cells(**axes)
    assert refused.value.field == field


def test_seeds_are_an_axis():
    frame = sweep(grid(hazard=[0.01, 0.1], gap=[24.0], seed=range(4)), ceiling_cell)
    assert frame.group_by("hazard").agg(pl.col("safe").n_unique())["safe"].to_list() == [4, 4]
