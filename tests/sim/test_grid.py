import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import grid
from sim.grid import check_fits
from theory import BadInput

AXES = st.dictionaries(
    st.sampled_from(["hazard", "gap", "router"]),
    st.lists(
        st.one_of(st.floats(allow_nan=False), st.text(max_size=3)),
        min_size=1,
        max_size=4,
        unique_by=lambda value: (type(value), value),
    ),
    min_size=1,
)


@given(AXES)
def test_a_grid_holds_every_combination_once_with_the_last_axis_fastest(axes):
    cells = grid(**axes)
    assert [list(cell) for cell in cells] == [list(axes)] * len(cells)
    expected = [()]
    for values in axes.values():
        expected = [(*left, right) for left in expected for right in values]
    assert [tuple(cell.values()) for cell in cells] == expected


def test_single_values_ranges_and_arrays_are_axes():
    cells = grid(hazard=np.array([0.5, 1.0]), seed=range(2), router="bm25", gap=np.float64(3))
    assert len(cells) == 4
    assert cells[1] == {"hazard": 0.5, "seed": 1, "router": "bm25", "gap": 3.0}
    assert {type(value) for value in cells[0].values()} == {float, int, str}


@pytest.mark.parametrize(
    ("axes", "field"),
    [
        ({}, "grid"),
        ({"hazard": []}, "hazard"),
        ({"hazard": [1.0], "gap": np.array([])}, "gap"),
        ({"hazard": [0.1, np.nan]}, "hazard"),
        ({"hazard": [1, 1.0]}, "hazard"),
        ({"hazard": [0.0, -0.0]}, "hazard"),
        ({"hazard": [None]}, "hazard"),
        ({"hazard": [[1.0]]}, "hazard"),
    ],
)
def test_an_axis_without_distinct_numbers_or_texts_is_refused(axes, field):
    with pytest.raises(BadInput) as refused:
        grid(**axes)
    assert refused.value.field == field


def test_a_grid_beyond_memory_is_refused_before_it_is_made():
    for axes in ({"seed": range(10**15)}, {"a": range(10**6), "b": range(10**6), "c": [1, 2]}):
        with pytest.raises(BadInput, match="over half"):
            grid(**axes)


def test_what_fits_depends_on_this_machine_s_memory(monkeypatch):
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1_000}  # 4 MB
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    check_fits(1_000)
    with pytest.raises(BadInput, match="over half"):
        check_fits(2_000)
