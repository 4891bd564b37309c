import json
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reports.cli.main import run
from reports.fit_file import read_fit

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "github_downtime_windows.csv"
INTERVAL = ["--start", "from", "--end", "to"]


@pytest.fixture
def log(tmp_path):
    """Outages of two facts over ten days, one of them twice as often; one drill."""
    start = datetime(2024, 5, 1, tzinfo=UTC)
    rows = [
        (fact, start + timedelta(hours=place * step), start + timedelta(hours=place * step + 1))
        for fact, step in (("mail", 8), ("web", 16))
        for place in range(240 // step)
    ]
    frame = pl.DataFrame(rows, schema=["fact", "from", "to"], orient="row").with_columns(
        pl.col("from", "to").dt.to_string("%Y-%m-%dT%H:%M:%SZ"), kind=pl.lit("real")
    )
    drill = pl.DataFrame(
        [("web", "2024-05-01T00:00:00Z", "2024-06-01T00:00:00Z", "drill")],
        schema=frame.schema,
        orient="row",
    )
    frame.extend(drill).write_csv(tmp_path / "log.csv")
    return str(tmp_path / "log.csv")


def document(capsys, *arguments):
    assert run(["fit", *arguments, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


def refused(capsys, *arguments):
    assert run(["fit", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_json_has_the_pooled_estimate_at_the_top_and_the_same_by_fact(capsys, log):
    found = document(capsys, log, *INTERVAL, "--fact", "fact", "--where", "kind != drill")
    shared = ["rate", "low", "high", "changes", "exposure", "tests"]
    assert list(found)[:6] == shared
    assert [list(fact) for fact in found["facts"]] == [["fact", *shared]] * 2
    assert {fact["fact"]: fact["changes"] for fact in found["facts"]} == {"mail": 30, "web": 15}
    assert found["changes"] == 45
    assert found["rate"] * found["exposure"] == pytest.approx(45)
    assert found["tests"]["dispersion"]["p_value"] < 0.05
    assert found["dropped"] == {"where": 1, "zero_length": 0, "repeated": 0, "outside": 0}
    assert found["span"]["from"] == "2024-05-01T00:00:00Z"
    assert found["span"]["to"] == "2024-05-10T17:00:00Z"
    assert found["source"]["file"] == "log.csv"
    assert found["source"]["sha256"] == sha256(Path(log).read_bytes()).hexdigest()
    assert found["source"]["columns"] == {"start": "from", "end": "to", "fact": "fact"}
    assert [at["gap"] for at in found["ceilings"]] == [1, 6, 24, 72, 168]


def test_the_printed_document_is_read_back(capsys, log, tmp_path):
    found = document(
        capsys, log, *INTERVAL, "--fact", "fact", "--gap", "36h", "--gap", "2d", "--seed", "5"
    )
    (tmp_path / "fit.json").write_text(json.dumps(found))
    saved = read_fit(tmp_path / "fit.json")
    assert saved.fit.pooled.rate == found["rate"]
    assert [at.gap for at in saved.ceilings] == [36.0, 48.0]
    assert saved.seed == 5


def test_a_table_says_the_same_in_words(capsys, log):
    assert run(["fit", log, *INTERVAL, "--fact", "fact", "--where", "kind != drill"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(
        "log.csv: outages of 2 facts, 2024-05-01T00:00:00Z to 2024-05-10T17:00:00Z\n"
        "46 rows: 1 left out by --where\n"
    )
    for line in (
        "  changes    45",
        "as if by schedule",
        "hazard rises with age",
        "Times are whole hours, 11 % of the mean gap",
        "Facts: not alike (p ",
        "  mail   0.1478 (0.09971 to 0.211)   30 in 203.0 h",
    ):
        assert line in printed


def test_a_table_without_anything_to_tell_says_why(capsys, tmp_path):
    (tmp_path / "log.csv").write_text("at,who\n1,x\n1,x\n")
    assert run(["fit", str(tmp_path / "log.csv"), "--time", "at", "--fact", "who"]) == 0
    printed = capsys.readouterr().out
    assert "2 rows: 1 repeated" in printed
    assert "unknown: nothing was watched; a longer span is set by --from and --to" in printed
    assert "A constant hazard: too few changes to tell" in printed
    assert "weibull     needs 10 changes at a known age, has 0" in printed
    assert "Ceiling" not in printed


def test_a_table_of_many_facts_shows_those_that_change_most(capsys, tmp_path):
    rows = [f"{hour},f{fact:02}" for fact in range(30) for hour in range(fact + 1)]
    (tmp_path / "log.csv").write_text("at,who\n" + "\n".join(rows))
    assert run(["fit", str(tmp_path / "log.csv"), "--time", "at", "--fact", "who"]) == 0
    lines = capsys.readouterr().out.splitlines()
    facts = lines[next(i for i, line in enumerate(lines) if line.startswith("Facts:")) + 1 :]
    assert facts[0].startswith("  f29   1.034 (0.698 to 1.477)   30 in 29.0 h")
    assert len(facts) == 21
    assert facts[-1] == "  and 10 more, with fewer changes: see --json"


def test_spells_and_change_times_are_read_by_their_own_rules(capsys, tmp_path):
    (tmp_path / "log.csv").write_text("from,to\n0,10\n10,30\n30,\n")
    path = str(tmp_path / "log.csv")
    spells = document(capsys, path, *INTERVAL, "--spells", "--to", "40")
    assert (spells["changes"], spells["exposure"]) == (2, 40.0)
    times = document(capsys, path, "--time", "from", "--from", "-5", "--to", "40")
    assert (times["changes"], times["exposure"]) == (3, 45.0)
    assert times["alike"]["reason"] == "needs 2 facts with exposure"


def test_the_seed_decides_the_draws(capsys, tmp_path):
    (tmp_path / "log.csv").write_text("at,who\n0,a\n1,a\n3,a\n4,a\n9,b\n")
    path = [str(tmp_path / "log.csv"), "--time", "at", "--fact", "who"]
    one, same, other = (document(capsys, *path, "--seed", s)["alike"] for s in ("1", "1", "2"))
    assert one == same
    assert one["p_value"] != other["p_value"]


BAD = [
    ([], "--start(=) must be given: --start and --end, or --time, name columns"),
    (["--start", "from"], "--end(=) must be given"),
    (["--end", "to"], "--start(=) must be given"),
    (["--time", "from", "--end", "to"], "--end(=to) must not be given with --time"),
    (["--time", "from", "--spells"], "--spells(=True) must not be given with --time"),
    (["--start", "frm", "--end", "to"], "--start(=frm) must name a column; there are: fact, from"),
    ([*INTERVAL, "--fact", "who"], "--fact(=who) must name a column"),
    ([*INTERVAL, "--where", "kind"], "--where(=kind) must be COL OP VALUE"),
    ([*INTERVAL, "--where", "sort = x"], "--where(=sort) must name a column"),
    ([*INTERVAL, "--where", "kind = x"], "--where(=kind = x) must keep at least one"),
    ([*INTERVAL, "--from", "noon"], "--from(=noon) must be an ISO 8601 time with an offset"),
    (
        [*INTERVAL, "--to", "2024-05-02"],
        "--to(=2024-05-02) must be an ISO 8601 time with an offset",
    ),
    (
        [*INTERVAL, "--from", "2024-05-03T00:00Z", "--to", "2024-05-02T00:00Z"],
        "--from(=2024-05-03T00:00Z) must be before --to(=2024-05-02T00:00Z)",
    ),
    ([*INTERVAL, "--from", "2030-01-01T00:00Z"], "must leave some of the log within the span"),
    ([*INTERVAL, "--to", "2020-01-01T00:00Z"], "must leave some of the log within the span"),
    ([*INTERVAL, "--gap", "0h"], "--gap(=0.0) must be > 0"),
    ([*INTERVAL, "--gap", "soon"], "--gap(=soon) must be a duration"),
]


@pytest.mark.parametrize(("options", "error"), BAD)
def test_bad_options_end_in_one_line(capsys, log, options, error):
    assert error in refused(capsys, log, *options)


def test_a_log_that_is_not_there_ends_in_one_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a long path would be cut in the message
    error = refused(capsys, "none.csv", "--time", "at")
    assert "none.csv) could not be read: No such file or directory" in error


# A public status page's incidents, where they are at hand.

real = pytest.mark.skipif(not SHARED.exists(), reason="the shared log is not at hand")
OUTAGES = [str(SHARED), "--start", "downtime_start", "--end", "downtime_end"]
INCIDENTS = [*OUTAGES, "--where", "impact != maintenance", "--where", "impact != none"]


@real
def test_a_real_log_has_the_figures_that_others_found(capsys):
    found = document(capsys, *INCIDENTS)
    assert found["changes"] == 696
    assert 0.0175 <= found["rate"] <= 0.0205
    assert [round(found[name], 4) for name in ("rate", "low", "high")] == [0.0189, 0.0175, 0.0203]
    assert all(test["p_value"] < 0.05 for test in found["tests"].values())
    day = next(at for at in found["ceilings"] if at["gap"] == 24.0)
    assert round(day["ceiling"], 3) == 0.636
    assert found["dropped"]["zero_length"] == 9


@real
def test_a_real_log_has_several_facts_that_are_not_alike(capsys):
    found = document(capsys, *INCIDENTS, "--fact", "impact")
    assert [fact["fact"] for fact in found["facts"]] == ["critical", "major", "minor"]
    assert found["alike"]["p_value"] < 1e-6


@real
def test_a_real_log_in_parquet_says_the_same(capsys, tmp_path):
    frame = pl.read_csv(SHARED, try_parse_dates=True)
    frame.write_parquet(tmp_path / "log.parquet")
    from_text = document(capsys, *INCIDENTS)
    from_parquet = document(capsys, str(tmp_path / "log.parquet"), *INCIDENTS[1:])
    assert from_parquet["facts"] == from_text["facts"]
    assert from_parquet["span"] == from_text["span"]


# Whatever bytes come in, the result is a fit or one clear line.


def fits_or_refuses(path, *options):
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run(["fit", str(path), *options, "--json"])
    if code == 0:
        assert json.loads(out.getvalue())["changes"] >= 0
    else:
        assert (code, out.getvalue()) == (2, "")
        assert err.getvalue().startswith("bestbefore: ")
        assert err.getvalue().count("\n") == 1


cells = st.one_of(
    st.sampled_from(["", "1", "2.5", "-3e4", "1e12", "nan", "x", '"', '"a\nb"', "2024-01-01"]),
    st.sampled_from(["2024-01-01T05:00:00Z", "2024-01-02T00:00+05:30", "2024-01-01 06:00"]),
    st.floats(allow_nan=False).map(repr),
    st.text(max_size=4),
)
tables = st.lists(st.lists(cells, min_size=3, max_size=3).map(",".join), max_size=8).map(
    lambda lines: "\n".join(["from,to,who", *lines]).encode(errors="surrogatepass")
)
numeric = st.lists(st.tuples(st.floats(width=32), st.floats(width=32)), min_size=1).map(
    lambda rows: "\n".join(["from,to,who", *(f"{a!r},{b!r},w" for a, b in rows)]).encode()
)
options = st.sampled_from(
    [
        INTERVAL,
        [*INTERVAL, "--spells"],
        [*INTERVAL, "--fact", "who", "--where", "who != x"],
        ["--time", "from"],
        ["--time", "from", "--from", "-1e-9", "--to", "1e11", "--fact", "who"],
        [*INTERVAL, "--from", "2024-01-01T00:00Z"],
    ]
)


@given(st.binary() | tables | numeric, options)
def test_any_bytes_are_fitted_or_refused(tmp_path_factory, content, options):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content)
    fits_or_refuses(path, *options)


@given(
    st.lists(
        st.tuples(st.floats(-1e9, 1e9), st.floats(0, 1e9), st.sampled_from("abc")), min_size=1
    ),
    options,
)
def test_any_table_of_numbers_is_fitted_or_refused(tmp_path_factory, rows, options):
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    lines = (f"{start!r},{start + length!r},{who}" for start, length, who in rows)
    path.write_text("\n".join(["from,to,who", *lines]))
    fits_or_refuses(path, *options)


PARQUET = pl.DataFrame({"from": [1.0, 3.0, 9.5], "to": [2.0, None, 11.0], "who": ["a", "b", "a"]})


@settings(max_examples=15)  # each starts a process
@given(st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 255)), max_size=4), options)
@example([(8, 7)], INTERVAL)  # ends the process that reads it
def test_any_damaged_parquet_is_fitted_or_refused(tmp_path_factory, damage, options):
    path = tmp_path_factory.getbasetemp() / "any.parquet"
    PARQUET.write_parquet(path, compression="uncompressed")
    content = bytearray(path.read_bytes())
    for place, byte in damage:
        content[4 + place % (len(content) - 4)] = byte
    path.write_bytes(content)
    fits_or_refuses(path, *options)
