import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routers import Notice
from routers.reading.intervals import Interval, read_intervals, stated_intervals, stated_start

EPOCH = datetime(2035, 1, 1, tzinfo=UTC)
NOW = datetime(2035, 5, 8, 10, tzinfo=UTC)


def hours(*moment, epoch=EPOCH):
    return (datetime(*moment, tzinfo=UTC) - epoch) / timedelta(hours=1)


def read(text, *, published=NOW, epoch=EPOCH):
    return read_intervals(text, epoch=epoch, published=(published - epoch) / timedelta(hours=1))


AFTERNOON = (hours(2035, 5, 12, 14), hours(2035, 5, 12, 18))
SATURDAY = (hours(2035, 5, 12), hours(2035, 5, 13))
THREE_DAYS = (hours(2035, 5, 9), hours(2035, 5, 12))
NIGHT = (hours(2035, 5, 9, 22), hours(2035, 5, 10, 6))
SINCE_NOON = (hours(2035, 5, 12, 12), math.inf)

READ = {
    "from 14:00 to 18:00 on 12 May 2035": AFTERNOON,
    "between 2 p.m. and 6 p.m. on Saturday, 12 May": AFTERNOON,
    "on 12 May, 14:00–18:00": AFTERNOON,
    "12 MAY 2035: 14:00-18:00 UTC": AFTERNOON,
    "2035-05-12T14:00/2035-05-12T18:00": AFTERNOON,
    "2035-05-12T16:00+02:00 to 2035-05-12T14:00-04:00": AFTERNOON,
    "2035-05-12 14:00-18:00": AFTERNOON,
    "2035-05-12T14:00:00.5Z until 2035-05-12T18:00Z": AFTERNOON,
    "2035-05-12T07:00:00-07:00/2035-05-12T18:00:00Z": AFTERNOON,
    "20350512T140000Z to 20350512T1400-0400": AFTERNOON,
    "on May 12th from 2 to 6 p.m.": AFTERNOON,
    "on 12.05.2035 from 1400 hours to 1800 hours": AFTERNOON,
    "on 2035/05/12 from 14h00 to 18h00": AFTERNOON,
    "for 4 hours from 14:00 on 12 May": AFTERNOON,
    "for four hours, starting at 2pm on the 12th of May": AFTERNOON,
    "on 12 May": SATURDAY,
    "all day on Saturday 12 May": SATURDAY,
    "on 13/5/2035": (hours(2035, 5, 13), hours(2035, 5, 14)),
    "on 5/13/2035": (hours(2035, 5, 13), hours(2035, 5, 14)),
    "on 12 May after storm damage": SATURDAY,
    "on 12 May to allow repairs": SATURDAY,
    "on 12 May from midnight to midnight": SATURDAY,
    "from 0:00 to 24:00 on 12 May": SATURDAY,
    "for one day from 12 May": SATURDAY,
    "from 9 to 11 May": THREE_DAYS,
    "9–11 May 2035": THREE_DAYS,
    "May 9–11, 2035": THREE_DAYS,
    "from Wednesday 9 to Friday 11 May": THREE_DAYS,
    "from 9 May until 11 May inclusive": THREE_DAYS,
    "for three days from 9 May": THREE_DAYS,
    "from tomorrow until 11 May": THREE_DAYS,
    "from 22:00 on 9 May until 06:00 the next day": NIGHT,
    "on 9 May from 10 p.m. to 6 a.m.": NIGHT,
    "from 9 May at 22:00 to 10 May at 06:00": NIGHT,
    "from 10 p.m. tomorrow to 6 a.m. on 10 May": NIGHT,
    "from noon on 12 May until further notice": SINCE_NOON,
    "until further notice from noon on 12 May": SINCE_NOON,
    "from midday on 12 May onwards": SINCE_NOON,
    "as of 12 noon on 12 May": SINCE_NOON,
    "indefinitely from 12:00 on 12 May": SINCE_NOON,
    "until 18:00 on 12 May": (-math.inf, hours(2035, 5, 12, 18)),
    "up to 11 May": (-math.inf, hours(2035, 5, 12)),
    "from 18:00 to midnight on 12 May": (hours(2035, 5, 12, 18), hours(2035, 5, 13)),
    "from 10 to 2 p.m. on 12 May": (hours(2035, 5, 12, 10), hours(2035, 5, 12, 14)),
    "from 30 April to 2 May": (hours(2035, 4, 30), hours(2035, 5, 3)),
    "30 to 2 May": (hours(2035, 4, 30), hours(2035, 5, 3)),
    "from 30 December to 2 January 2036": (hours(2035, 12, 30), hours(2036, 1, 3)),
    "from 30 December 2035 to 2 January": (hours(2035, 12, 30), hours(2036, 1, 3)),
    "31 to 2 January 2036": (hours(2035, 12, 31), hours(2036, 1, 3)),
}


@pytest.mark.parametrize("text", READ)
def test_usual_ways_of_writing_an_interval_are_read(text):
    assert read(f"The hall is closed {text}.") == [READ[text]]


def test_several_intervals_are_read_in_the_order_of_the_text():
    both = [AFTERNOON, (hours(2035, 5, 13, 9), hours(2035, 5, 13, 11))]
    assert read("12 May 14:00–18:00, 13 May 09:00–11:00") == both
    assert read("closed on 9 May and from 12 May to 14 May") == [
        (hours(2035, 5, 9), hours(2035, 5, 10)),
        (hours(2035, 5, 12), hours(2035, 5, 15)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The hall is closed.",
        "at 14:00 on 12 May 2035",  # a moment
        "from 14:00 to 18:00",  # of no day
        "on 31 June 2035",
        "on 29 February 2035",
        "on 0000-00-00",
        "on 4/5/2035",  # either way
        "from 4/5/2035 to 14/5/2035",  # its start is no more known for that
        "20350512",  # a number like any other
        "from 12 May 2035 to 9 May 2035",
        "for four hours on 12 May",
        "You may 12 times march 3 miles",
        "until further notice",
        "Call 555-1234 or see room 12.",
    ],
)
def test_what_states_no_interval_is_left_out(text):
    assert read(text) == []


@pytest.mark.parametrize(("published", "year"), [((2035, 12, 20), 2036), ((2036, 6, 20), 2036)])
def test_a_date_without_a_year_is_the_nearest_to_its_publication(published, year):
    found = read("closed on 5 January", published=datetime(*published, tzinfo=UTC))
    assert found == [(hours(year, 1, 5), hours(year, 1, 6))]


def test_hours_count_from_the_epoch_whatever_its_offset():
    epoch = datetime(2035, 5, 12, 9, 30, tzinfo=timezone(timedelta(hours=2)))  # 7:30 UTC
    assert read("from 8:00 to 9:00 on 12 May 2035", epoch=epoch) == [(0.5, 1.5)]


def test_a_notice_is_read_by_its_own_epoch_and_publication():
    notice = Notice(id="n", published=0.0, text="Shut on 2 January.", epoch=EPOCH)
    assert stated_intervals(notice) == [(24.0, 48.0)]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Shut on 9 May, and from 2 May 2035 to 4 May 2035.", hours(2035, 5, 2)),
        ("Shut until 2 May 2035.", -math.inf),
        ("Shut.", None),
    ],
)
def test_the_stated_start_is_the_earliest(text, start):
    notice = Notice(id="n", published=hours(2035, 5, 1), text=text, epoch=EPOCH)
    assert stated_start(notice) == start


def test_intervals_are_half_open():
    interval = Interval(10.0, 12.0)
    assert interval.overlaps(11.5, 13.0)
    assert not interval.overlaps(12.0, 13.0)
    assert not interval.overlaps(9.0, 10.0)


# Words and figures of dates, put together at random: what a reader may trip over.
SHARDS = st.sampled_from(
    [
        *("12 May", "may", "2035", "9", "31", "0", "99", ":", "14:00", "24:00", "25:61", "p.m."),
        *("2 pm", "noon", "midnight", "from", "to", "until", "and", "between", "the next day"),
        *("until further notice", "for 3 days", "–", "-", "/", "|", ".", ",", "(", ")", "\n"),
        *("2035-05-12", "T14:00", "+99:99", "Feb", "12.13.2035", "tomorrow", "30 to 2", "June"),
        *("\u0663", "ſ", "İ", "\u0663 May", "¹²"),
    ]
)


@pytest.mark.full
@given(st.one_of(st.text(), st.lists(SHARDS, max_size=12).map(" ".join)))
def test_no_text_breaks_the_reader(text):
    for start, end in read(text):
        assert start < end
        assert not math.isnan(start)
        assert not math.isnan(end)


@given(
    st.floats(allow_nan=False), st.sampled_from(["on 12 May", "tomorrow", "yesterday until 9 May"])
)
def test_no_time_of_publication_breaks_the_reader(published, text):
    for start, end in read_intervals(text, epoch=EPOCH, published=published):
        assert start < end


@pytest.mark.parametrize("shard", ["1 ", "may ", "12 May to ", "from ", "2035-", "( ", "1:", " "])
def test_a_long_monotonous_text_is_read_through(shard):
    assert isinstance(read(shard * (200_000 // len(shard))), list)
