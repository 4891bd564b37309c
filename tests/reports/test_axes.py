import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.axes import parse_axis
from reports.units import parse_duration, parse_rate
from theory import BadInput

POSITIVE = st.floats(1e-6, 1e6)


def test_values_lists_and_ranges_take_units():
    assert parse_axis("36h", parse_duration) == [36.0]
    assert parse_axis("1h,2d,90min", parse_duration) == [1.0, 48.0, 1.5]
    assert parse_axis("0.24/d,0.5", parse_rate) == [0.01, 0.5]
    assert parse_axis("1h:1d:3", parse_duration) == [1.0, 12.5, 24.0]
    assert parse_axis("0.001:0.1:3:log", parse_rate) == [0.001, 0.01, 0.1]
    assert parse_axis("1:3:3,5", parse_duration) == [1.0, 2.0, 3.0, 5.0]
    assert len(parse_axis("1:240:25", parse_duration)) == 25


@given(POSITIVE, POSITIVE, st.integers(2, 50), st.booleans())
def test_a_range_starts_and_ends_where_it_says_and_rises(low, high, n, log):
    text = f"{low!r}:{high!r}:{n}" + ":log" * log
    if not low < high * (1 - 1e-9):
        return
    values = parse_axis(text, parse_rate)
    assert len(values) == n
    assert (values[0], values[-1]) == (low, high)
    steps = [math.log(value) if log else value for value in values]
    widths = [after - before for before, after in pairwise(steps)]
    assert all(width > 0 for width in widths)
    assert max(widths) - min(widths) <= 1e-8 * max(abs(step) for step in (*steps, 1.0))


@given(POSITIVE, st.floats(1.5, 1e3), st.integers(2, 20), st.booleans())
def test_a_finer_range_keeps_the_cells_of_the_coarser(low, factor, n, log):
    """So that a refined sweep repeats the rows it had."""
    form = f"{low!r}:{low * factor!r}:{{}}" + ":log" * log
    coarse = parse_axis(form.format(n), parse_rate)
    fine = parse_axis(form.format(2 * n - 1), parse_rate)
    assert coarse == fine[::2]


@pytest.mark.parametrize(
    "text",
    ["", ",", "1,", "nan", "inf", "1:2", "1:2:x", "1:2:1", "1:2:2.5", "2:1:3", "1:1:3", "0:1:3:log",
     "1:2:3:lin", "1:2:3:log:4", "1:2:-3", "1h:2y:3", "1e400", "1:1e400:3", "::", "1:2:²"],
)  # fmt: skip
def test_what_is_no_axis_is_refused_in_one_line_that_names_the_option(text):
    with pytest.raises(BadInput) as refused:
        parse_axis(text, parse_duration, field="--gap")
    assert str(refused.value).startswith("--gap(=")
    assert "\n" not in str(refused.value)


def test_a_range_beyond_memory_is_refused_before_it_is_made():
    with pytest.raises(BadInput, match="GB"):
        parse_axis("1:2:1000000000000000", parse_duration)


@given(
    st.one_of(st.text(max_size=20), st.text("0123456789.:,-+e/hdlog ", max_size=20)).filter(
        lambda text: len(text) < 12 or ":" not in text
    )
)
def test_any_text_gives_finite_numbers_or_is_refused(text):
    for parse in (parse_duration, parse_rate):
        try:
            values = parse_axis(text, parse)
        except BadInput:
            continue
        assert values
        assert all(math.isfinite(value) for value in values)
