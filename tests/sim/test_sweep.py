"""Sweeps: rows that depend on nothing but seed and cell, and processes that end."""

import io
import multiprocessing

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from sim import grid, sweep
from sim.ceiling_cell import ceiling_cell, ceiling_cells
from sim.keeping import Tally
from sim.sweep import FailedCells
from theory import BadInput, Constant, Timeline, ceiling, survival
from theory.inference import binomial_p_value, holm

CELLS = ceiling_cells(hazard=[0.01, 0.1, 0.0], gap=[1.0, 24.0], freshness=[0.0, 2.0], decisions=500)


def draw(parameters, rng):
    """A cell of tests: its draws say which stream it had."""
    return {"drawn": rng.random(), "also": int(rng.integers(1_000)), "text": f"{len(parameters)}"}


def fail(parameters, rng):
    if parameters["a"] == 3:
        raise BadInput("a", 3, "must not be 3")
    return {"drawn": rng.random()}


TEXTS = {1: {"x": "text"}, 2: {"x": 2}}


def parquet(frame):
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


def test_bytes_do_not_depend_on_the_number_of_workers():
    alone, four = (sweep(CELLS, ceiling_cell, seed=5, workers=workers) for workers in (1, 4))
    assert parquet(alone) == parquet(four)
    assert not multiprocessing.active_children()


def test_replicates_come_in_order_from_processes_too():
    alone, two = (
        sweep(grid(a=range(5)), draw, replicates=3, workers=workers) for workers in (1, 2)
    )
    assert_frame_equal(alone, two)
    assert alone["a"].to_list() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3
    assert alone["replicate"].to_list() == [0, 1, 2] * 5
    assert alone["drawn"].n_unique() == 15


@given(st.permutations(range(8)), st.integers(1, 8), st.integers(0, 2**32))
def test_a_cell_s_row_is_the_same_in_any_order_and_after_cells_are_added(order, some, seed):
    cells = grid(a=[0.5, 1.0], b=[1, 2], c=["x", "y"])
    whole = sweep(cells, draw, seed=seed)
    part = sweep([cells[index] for index in order[:some]], draw, seed=seed)
    assert_frame_equal(part, whole[order[:some]])


def test_another_seed_gives_other_rows():
    one, other = (sweep(CELLS, ceiling_cell, seed=seed) for seed in (1, 2))
    assert not one.equals(other)
    assert one.select("hazard", "gap", "predicted").equals(
        other.select("hazard", "gap", "predicted")
    )


def test_columns_are_parameters_replicate_and_results_null_where_a_cell_has_none():
    frame = sweep([{"a": 1}, {"a": 0.5, "router": "bm25"}], draw)
    assert frame.schema == {
        "a": pl.Float64,
        "router": pl.String,
        "replicate": pl.Int64,
        "drawn": pl.Float64,
        "also": pl.Int64,
        "text": pl.String,
        "error": pl.String,
    }
    assert frame["router"].to_list() == [None, "bm25"]


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_adds_up_to_the_rows(workers):
    steps = []
    sweep(grid(a=range(70)), draw, workers=workers, replicates=2, follow=steps.append)
    assert steps[0] == Tally(140, 0, 0, 0)
    assert steps[-1] == Tally(140, 0, 140, 0)
    assert [tally.done for tally in steps] == sorted(tally.done for tally in steps)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cell_that_raises_is_recorded_and_stops_no_other(workers):
    with pytest.warns(FailedCells, match="1 of 20 cells failed, the first with BadInput"):
        frame = sweep(grid(a=range(20)), fail, workers=workers)
    assert frame.filter(pl.col("error").is_not_null()).rows() == [
        (3, 0, None, "BadInput: a(=3) must not be 3")
    ]
    assert frame["drawn"].null_count() == 1
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    "results",
    [{"x": None}, {"x": [1]}, {"a": 1}, {"error": 1}, {"x": 2**63}, {"x": "\ud800"}, [1], None],
)
def test_results_that_are_no_numbers_or_texts_are_an_error_of_their_cell(results):
    with pytest.warns(FailedCells):
        frame = sweep([{"a": 1}], lambda parameters, rng: results)
    assert frame["error"].null_count() == 0


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (lambda: sweep([], draw), "cells"),
        (lambda: sweep([{"a": 1}, {"a": 1.0}], draw), "cells"),
        (lambda: sweep([{"a": 1}], draw, replicates=0), "replicates"),
        (lambda: sweep([{"a": 1}], draw, replicates=10**12), "grid"),
        (lambda: sweep([{"a": 1}], draw, workers=0), "workers"),
        (lambda: sweep([{"replicate": 1}], draw), "parameter"),
        (lambda: sweep([{"a": 1}, {"a": "x"}], draw), "a"),
        (lambda: sweep(grid(a=[1, 2]), lambda parameters, rng: TEXTS[parameters["a"]]), "x"),
        (lambda: sweep([{"a": [1]}], draw), "a"),
        (lambda: sweep([{"a": 2**63}], draw), "a"),
        (
            lambda: sweep([{"a": 1}, {"a": 2}], lambda parameters, rng: {}, workers=2),
            "function",
        ),
    ],
)
def test_what_cannot_be_swept_is_refused(wrong, field):
    with pytest.raises(BadInput) as refused:
        wrong()
    assert refused.value.field == field


@settings(max_examples=50)
@given(
    st.floats(0, 2), st.floats(1e-3, 100), st.floats(0, 50), st.floats(0.01, 1), st.integers(1, 400)
)
def test_a_ceiling_cell_adds_up_and_predicts_what_theory_does(
    hazard, gap, freshness, part, decisions
):
    [cell] = ceiling_cells(
        hazard=hazard, gap=gap, freshness=freshness, window=part * gap, decisions=decisions
    )
    row = ceiling_cell(cell, np.random.default_rng(0))
    timeline = Timeline.from_gaps(gap, freshness_gap=freshness, window=part * gap)
    assert row["stale"] + row["recoverable"] + row["late"] + row["safe"] == decisions
    assert row["share"] == row["safe"] / decisions
    assert row["predicted"] == survival(Constant(hazard), timeline)
    assert row["ceiling"] == ceiling(Constant(hazard), timeline)
    assert row["low"] <= row["share"] <= row["high"]


def test_a_grid_of_ceiling_cells_meets_its_predictions_and_not_the_ceiling():
    """Null: each cell's share is `predicted`. Exact tests, Holm at 1e-6 over 60 cells; the ceiling
    itself, which stale evidence stays below, is rejected.
    """
    cells = ceiling_cells(hazard=np.geomspace(0.001, 0.1, 10), gap=[1, 24, 240], freshness=[2, 12])
    frame = sweep(cells, ceiling_cell, seed=9)
    p_values, wrong = (
        binomial_p_value(frame["safe"].to_numpy(), 20_000, frame[column].to_numpy())
        for column in ("predicted", "ceiling")
    )
    assert not holm(p_values, 1e-6).any()
    assert holm(wrong, 1e-6).any()


def test_a_window_or_freshness_spelled_out_is_the_same_cell():
    short = ceiling_cells(hazard=0.1, gap=[2.0, 5.0])
    assert short[0] == ceiling_cells(hazard=0.1, gap=2.0, freshness=0.0, window=2.0)[0]
    assert [cell["window"] for cell in short] == [2.0, 5.0]


@pytest.mark.parametrize(
    ("axes", "field"),
    [
        ({"hazard": -0.1}, "hazard"),
        ({"hazard": [0.1, np.nan]}, "hazard"),
        ({"hazard": np.inf}, "hazard"),
        ({"hazard": []}, "hazard"),
        ({"gap": 0.0}, "gap"),
        ({"gap": [1.0, -1.0]}, "gap"),
        ({"freshness": -1.0}, "freshness"),
        ({"window": 0.0}, "window"),
        ({"window": 25.0}, "window"),
        ({"decisions": 0}, "decisions"),
        ({"decisions": [100, 0.5]}, "decisions"),
        ({"decisions": 1.5}, "decisions"),
        ({"precision": 0.01, "decisions": 5}, "decisions"),
        ({"precision": 0.5}, "precision"),
        ({"precision": [0.01, 0.0]}, "precision"),
        ({"precision": 0.01, "alpha": 1}, "alpha"),
        ({"precision": 0.01, "most": 0}, "most"),
        ({"alpha": 0.05}, "alpha"),
        ({"most": 5}, "most"),
    ],
)
def test_parameters_of_ceiling_cells_are_checked(axes, field):
    with pytest.raises(BadInput) as refused:
        ceiling_cells(**{"hazard": 0.1, "gap": [24.0, 48.0], **axes})
    assert refused.value.field == field
