from datetime import UTC, date, datetime, timedelta, timezone

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.times import TimeKind, in_range, read_time, read_times, show_time
from theory import BadInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31))
offsets = st.integers(-23 * 60, 23 * 60).map(lambda m: timezone(timedelta(minutes=m)))


def hours(moment):
    return (moment - EPOCH) / timedelta(hours=1)


def read(cells, dtype=pl.String):
    times = read_times(pl.Series("t", cells, dtype=dtype, strict=False))
    return times.hours.to_list(), times.kind.to_list()


@given(moments, offsets)
def test_iso_times_with_an_offset_are_hours_of_one_clock(moment, offset):
    aware = moment.replace(tzinfo=offset)
    assert read([aware.isoformat()]) == ([pytest.approx(hours(aware))], ["offset"])


@given(moments)
def test_iso_times_without_an_offset_are_read_as_they_stand(moment):
    expected = ([pytest.approx(hours(moment.replace(tzinfo=UTC)))], ["naive"])
    assert read([moment.isoformat()]) == expected
    assert read([moment.isoformat(sep=" ")]) == expected


@given(st.floats(-1e9, 1e9))
def test_plain_numbers_are_hours(number):
    assert read([repr(number)]) == ([number], ["number"])


NOON = hours(datetime(2024, 5, 1, 12, tzinfo=UTC))


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-01T12:00:00Z",
        "2024-05-01T12:00:00.000Z",
        "2024-05-01 12:00:00z",
        "2024-05-01t12:00Z",
        " 2024-05-01T12:00:00,0Z ",
        "2024-05-01T14:00+02:00",
        "2024-05-01T14:00:00+0200",
        "2024-05-01T14:00:00+02",
    ],
)
def test_the_ways_of_iso_8601_mean_the_same(text):
    assert read([text]) == ([pytest.approx(NOON)], ["offset"])


@pytest.mark.parametrize("text", ["", "  ", None])
def test_blank_cells_are_empty(text):
    assert read([text]) == ([None], [None])


@pytest.mark.parametrize(
    "text",
    ["noon", "2024-13-01", "2024-02-30", "12:00", "1_000", "2024-05-01T25:00Z", "1,5", "--1"],
)
def test_what_is_no_time_is_none(text):
    assert read([text]) == ([None], [None])


def test_forms_may_differ_from_cell_to_cell():
    cells = ["2024-05-01T12:00:00Z", "7", None, "2024-05-01", "x", "2024-05-01T14:00+02:00"]
    found, kinds = read(cells)
    assert found == [NOON, 7.0, None, NOON - 12, None, NOON]
    assert kinds == ["offset", "number", None, "naive", None, "offset"]


@pytest.mark.parametrize(
    ("cell", "dtype", "expected", "kind"),
    [
        (datetime(2024, 5, 1, 12), pl.Datetime("ms"), NOON, "naive"),
        (datetime(2024, 5, 1, 12), pl.Datetime("ns"), NOON, "naive"),
        (datetime(2024, 5, 1, 12, tzinfo=UTC), pl.Datetime("us", "UTC"), NOON, "offset"),
        (date(2024, 5, 1), pl.Date, NOON - 12, "naive"),
        (7, pl.UInt8, 7.0, "number"),
        (7.5, pl.Float32, 7.5, "number"),
    ],
)
def test_typed_columns_are_read_as_what_they_are(cell, dtype, expected, kind):
    assert read([cell, None], dtype) == ([pytest.approx(expected), None], [kind, None])


@pytest.mark.parametrize("dtype", [pl.Boolean, pl.Duration, pl.List(pl.Int8), pl.Binary])
def test_columns_of_no_times_are_refused(dtype):
    with pytest.raises(BadInput, match="must be a column of times, text or numbers"):
        read_times(pl.Series("t", [None], dtype=dtype))


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "1e13", "0000-01-01", "9999-12-31T23:00"])
def test_times_out_of_range_are_told(cell):
    assert in_range(read_times(pl.Series([cell]))).to_list() == [False]


@given(moments, st.sampled_from([TimeKind.OFFSET, TimeKind.NAIVE]))
def test_times_are_shown_as_their_log_writes_them(moment, kind):
    shown = show_time(hours(moment.replace(tzinfo=UTC)), kind)
    assert shown.endswith("Z") == (kind is TimeKind.OFFSET)
    found = datetime.fromisoformat(shown).replace(tzinfo=None)
    assert abs(found - moment) < timedelta(milliseconds=1)
    assert show_time(12.5, TimeKind.NUMBER) == "12.5"


@given(st.text(), st.sampled_from(TimeKind))
def test_any_text_is_a_time_of_the_kind_asked_for_or_one_clear_error(text, kind):
    try:
        value = read_time(text, kind, field="--from")
    except BadInput as error:
        value = str(error)
    if isinstance(value, str):
        assert value.startswith("--from(=")
        assert "\n" not in value
    else:
        assert -1e12 <= value <= 1e12


def test_a_time_of_another_kind_says_what_is_wanted():
    with pytest.raises(BadInput, match="with an offset, such as 2024-05-01T12:00Z, as the log's"):
        read_time("2024-05-01", TimeKind.OFFSET, field="--to")
