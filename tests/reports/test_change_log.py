from datetime import datetime

import polars as pl
import pytest

from reports.change_log import read_change_log
from reports.filters import parse_condition
from theory import BadInput

TIME = {"time": ("--time", "at")}
INTERVAL = {"start": ("--start", "from"), "end": ("--end", "to")}


def read_text(tmp_path, text, times=INTERVAL, **options):
    path = tmp_path / "log.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_change_log(path, times, optional=["end"], **options)


def refusal(tmp_path, text, times=INTERVAL, **options):
    """The line of the error, with the file's folder left out."""
    with pytest.raises(BadInput) as caught:
        read_text(tmp_path, text, times, **options)
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_a_log_is_its_times_in_hours(tmp_path):
    log = read_text(tmp_path, "id,from,to,what\n1,5,7,x\n2,8,,y\n", fact="what")
    assert log.frame.rows() == [("x", 5.0, 7.0), ("y", 8.0, None)]
    assert (log.kind, log.rows) == ("number", 2)
    assert read_text(tmp_path, "at\n3\n", TIME).frame.rows() == [("all", 3.0)]


@pytest.mark.parametrize(
    "text",
    [
        "at\n5\n\n8\n\n",  # blank lines
        "at\r\n5\r\n8\r\n",
        "\ufeffat\n5\n8",  # a byte order mark, no line end
        '"at"\n"5"\n" 8 "\n',
        "\n\nat,x\n5,\n8\n",  # lines before the header, a short row
    ],
)
def test_the_ways_of_csv_mean_the_same(tmp_path, text):
    log = read_text(tmp_path, text, TIME)
    assert log.frame["time"].to_list() == [5.0, 8.0]
    assert log.rows == 2


def test_parquet_holds_the_same(tmp_path):
    frame = pl.DataFrame(
        {"from": [datetime(2024, 1, 1), datetime(2024, 1, 3)], "to": [None, datetime(2024, 1, 4)]}
    )
    for name in ("log.parquet", "log"):
        frame.write_parquet(tmp_path / name)
        log = read_change_log(tmp_path / name, INTERVAL, optional=["end"])
        assert (log.frame["end"] - log.frame["start"]).to_list() == [None, 24.0]
        assert log.kind == "naive"


def test_filters_leave_rows_out_before_their_times_are_read(tmp_path):
    text = "from,to,what\nnever,5,drill\n3,4,real\n9,2,drill\n"
    log = read_text(tmp_path, text, where=[parse_condition("what != drill")])
    assert log.frame.rows() == [("all", 3.0, 4.0)]
    assert log.rows == 3
    error = refusal(tmp_path, text, where=[parse_condition("what = x"), parse_condition("to > 1")])
    assert error == ("log.csv: --where(=what = x and to > 1) must keep at least one of the 3 rows")


NO_TIME = "must be a time: ISO 8601, such as 2024-05-01T12:00:00Z, or a number of hours"
BAD = [
    ("a,b\n1,2\n", "--start(=from) must name a column; there are: a, b"),
    ("from,from,to\n1,1,2\n", "--start(=from) must name one column, not several"),
    ("from,to\n1,2\n3,noon\n", f"line 3: to(=noon) {NO_TIME}"),
    ('from,to,x\n1,2,"a\nb\nc"\n\n3,noon,y\n', f"line 6: to(=noon) {NO_TIME}"),
    ("\n\nfrom,to\nnoon,2\n", f"line 4: from(=noon) {NO_TIME}"),
    ("from,to\n1,2\n,3\n", "line 3: from(=) must not be empty"),
    ("from,to\n1,nan\n", "line 2: to(=nan) must be finite and within the years 1 to 9999"),
    ("from,to\n1,1e13\n", "line 2: to(=1e13) must be finite and within the years 1 to 9999"),
    ("from,to\n1,2\n7,6\n", "line 3: to(=6) must not be before from(=7)"),
    (
        "from,to\n2024-01-01T00:00Z,\n2024-01-02,\n",
        "line 3: from(=2024-01-02) must be an ISO 8601 time with an offset, such as "
        "2024-05-01T12:00Z, as those before it",
    ),
    (
        "from,to\n2024-01-01,2024-01-02T00:00Z\n",
        "line 2: to(=2024-01-02T00:00Z) must be an ISO 8601 time without an offset",
    ),
    ("from,to\n1,2\n2,2024-01-01\n", "line 3: to(=2024-01-01) must be a plain number of hours"),
    ("from,to\n2024-01-01,7\n", "line 2: to(=7) must be an ISO 8601 time without an offset"),
]


@pytest.mark.parametrize(("text", "error"), BAD)
def test_bad_cells_are_named_by_file_line_and_column(tmp_path, text, error):
    assert refusal(tmp_path, text).startswith(f"log.csv: {error}")


def test_the_first_bad_cell_is_named_whichever_its_column(tmp_path):
    assert "line 3: to" in refusal(tmp_path, "from,to\n1,2\n2,x\ny,3\n")
    assert "line 3: from" in refusal(tmp_path, "from,to\n1,2\ny,3\n2,x\n")


def test_facts_must_have_names(tmp_path):
    for text in ("at,who\n1,a\n2,\n", 'at,who\n1,a\n2,""\n'):
        assert refusal(tmp_path, text, TIME, fact="who").startswith(
            "log.csv: line 3: who(=) must not be empty"
        )
    pl.DataFrame({"at": [1], "who": [[1]]}).write_parquet(tmp_path / "log")
    with pytest.raises(BadInput, match=r"who: List.* must be a column of text or numbers"):
        read_change_log(tmp_path / "log", TIME, fact="who")


def test_bad_cells_of_parquet_are_named_by_row(tmp_path):
    pl.DataFrame({"from": [1.0, 3.0], "to": [2.0, 2.5]}).write_parquet(tmp_path / "log")
    with pytest.raises(BadInput, match=r"row 2: to\(=2.5\) must not be before from\(=3.0\)"):
        read_change_log(tmp_path / "log", INTERVAL, optional=["end"])
    pl.DataFrame({"at": [True]}).write_parquet(tmp_path / "log")
    with pytest.raises(BadInput, match=r"log: at\(=Boolean\) must be a column of times"):
        read_change_log(tmp_path / "log", TIME)


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "must hold at least one row"),
        (b"\n", "must hold at least one row"),
        (b"at\n", "must hold at least one row"),
        (b"at\n\n\n", "must hold at least one row"),
        (b"at\n\xff\n", "must be a CSV (UTF-8) or Parquet file: invalid utf-8 sequence"),
        (b'at\n"1\n', "must be a CSV (UTF-8) or Parquet file: "),
        (b"PAR1 and no more", "must be a CSV (UTF-8) or Parquet file, and undamaged"),
        (b"\x1f\x8b\x08\x00", "must be a plain CSV or Parquet file, not compressed"),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path, content, rule):
    error = refusal(tmp_path, content, TIME)
    assert error.startswith(f"LOG(=log.csv) {rule}")


def test_files_that_cannot_be_read_are_refused(tmp_path):
    for path, why in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(BadInput, match=f"could not be read: {why}"):
            read_change_log(path, TIME)


def test_names_with_wild_cards_are_names(tmp_path):
    (tmp_path / "a.csv").write_text("at\n1\n")
    (tmp_path / "*.csv").write_text("at\n2\n")
    assert read_change_log(tmp_path / "*.csv", TIME).frame["time"].to_list() == [2.0]
