from datetime import datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.filters import parse_condition
from theory import BadInput

FRAME = pl.DataFrame(
    {
        "word": ["minor", "Major", "", None, "10", "9"],
        "number": [1.0, 2.5, None, float("nan"), 10.0, 9.0],
        "whole": [1, 2, 3, 4, 10, 9],
        "yes": [True, False, None, True, True, False],
        "when": [datetime(2024, 1, day) for day in range(1, 7)],
        "list": [[1]] * 6,
        "a column": list("abcdef"),
    }
)


def kept(text, frame=FRAME):
    found = frame.select(parse_condition(text).rows(frame.schema)).to_series()
    assert found.null_count() == 0
    return found.arg_true().to_list()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("word = minor", [0]),
        ("word == minor", [0]),
        ("word=minor", [0]),
        ("word != minor", [1, 2, 3, 4, 5]),
        # Cell and value both numbers: as numbers. "10" < "9" as text.
        ("word < 10", [5]),
        ("word > 9", [0, 1, 4]),
        ('word > "9"', [0, 1]),
        ("word = 10.0", [4]),
        ('word = "10.0"', []),
        # Empty cells.
        ("word =", [2, 3]),
        ('word = ""', [2, 3]),
        ("word != ''", [0, 1, 4, 5]),
        ("word <= zzz", [0, 1, 4, 5]),
        ("word >= ''", [0, 1, 4, 5]),
        ("number >= 2.5", [1, 4, 5]),
        ("number != 1", [1, 2, 3, 4, 5]),
        ("number = ", [2, 3]),
        ("whole <= 3", [0, 1, 2]),
        ("yes = true", [0, 3, 4]),
        ("yes != true", [1, 2, 5]),
        ("when >= 2024-01-05", [4, 5]),
        ("a column = c", [2]),
        ("'a column' > d", [4, 5]),
        ('"a column" = a = b', []),
    ],
)
def test_conditions_keep_the_rows_that_meet_them(text, rows):
    assert kept(text) == rows


@given(st.lists(st.none() | st.text(max_size=3), min_size=1), st.text("abc", max_size=2))
def test_equal_and_unequal_share_the_rows_out(cells, value):
    frame = pl.DataFrame({"c": cells}, schema={"c": pl.String})
    both = kept(f"c = '{value}'", frame) + kept(f"c != '{value}'", frame)
    assert sorted(both) == list(range(len(cells)))


@given(st.lists(st.floats(-100, 100), min_size=1), st.floats(-100, 100))
def test_numbers_are_compared_as_numbers_however_they_are_stored(cells, value):
    for frame in (pl.DataFrame({"c": cells}), pl.DataFrame({"c": [repr(c) for c in cells]})):
        assert kept(f"c < {value!r}", frame) == [i for i, c in enumerate(cells) if c < value]
        assert kept(f"c >= {value!r}", frame) == [i for i, c in enumerate(cells) if c >= value]


@pytest.mark.parametrize("text", ["", "word", "= minor", "word ~ minor", "!word", " <3"])
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(BadInput, match="must be COL OP VALUE with OP among == != <= >= = < >"):
        parse_condition(text)


def test_columns_that_cannot_be_compared_are_refused():
    with pytest.raises(BadInput, match="must name a column of the log: word, number"):
        kept("nowhere = 1")
    with pytest.raises(BadInput, match="must be a column of text, numbers"):
        kept("list = 1")


def rows_or_error(text):
    """The rows kept, or the line of the error."""
    try:
        return kept(text)
    except BadInput as error:
        return str(error)


@given(st.text())
def test_any_text_is_a_condition_or_one_clear_error(text):
    found = rows_or_error(text)
    assert isinstance(found, list) or (found.startswith("--where(=") and "\n" not in found)


@given(
    st.sampled_from(["word", "number", "whole", "yes", "when"]),
    st.sampled_from(["=", "==", "!=", "<", "<=", ">", ">="]),
    st.text("=<>'\"0-9.eE+- az", max_size=8),
)
def test_any_value_can_be_compared_with_any_column(column, operator, value):
    assert isinstance(rows_or_error(f"{column} {operator}{value}"), list)
