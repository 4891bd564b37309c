import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.units import HOURS, parse_count, parse_duration, parse_rate, parse_share
from theory import BadInput


@given(st.floats(0, 1e9), st.sampled_from(list(HOURS)))
def test_durations_are_hours(number, unit):
    assert parse_duration(f"{number!r}{unit}") == pytest.approx(number * HOURS[unit])
    assert parse_duration(f" {number!r} {unit} ") == pytest.approx(number * HOURS[unit])


@given(st.floats(0, 1e9), st.sampled_from(list(HOURS)))
def test_rates_are_per_hour(number, unit):
    assert parse_rate(f"{number!r}/{unit}") == pytest.approx(number / HOURS[unit])


def test_bare_numbers_are_in_hours():
    assert parse_duration("12") == 12.0
    assert parse_rate("1e-3") == 0.001
    assert parse_rate("0.48/d") == pytest.approx(0.02)


@given(st.text())
def test_any_text_is_a_number_or_one_clear_error(text):
    for parse in (parse_duration, parse_rate, parse_share, parse_count):
        try:
            value = parse(text, field="gap")
        except BadInput as error:
            value = str(error)
        assert isinstance(value, float) or value.startswith("gap(=")
        assert len(str(value).splitlines()) == 1


@pytest.mark.parametrize("text", ["", "h", "3 years", "nan", "inf", "1e999", "1h2m", "0x10", "1_0"])
def test_what_is_not_a_duration_is_refused(text):
    with pytest.raises(BadInput):
        parse_duration(text)


def test_shares_are_numbers_or_percent_and_counts_are_whole():
    assert parse_share("0.25") == parse_share(" 25 % ") == 0.25
    assert parse_count("1e6") == parse_count("1000000") == 1_000_000
    for parse, text in ((parse_share, "1.5"), (parse_share, "-1%"), (parse_count, "2.5")):
        with pytest.raises(BadInput):
            parse(text)
