from contextlib import suppress

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.sweep_file import read_sweep
from theory import BadInput

SWEEP = pl.DataFrame(
    {
        "hazard": [0.01, 0.02],
        "gap": [24.0, 48.0],
        "freshness": [0.0, 12.0],
        "decisions": [100, 100],
        "safe": [70, 20],
        "share": [0.7, 0.2],
    }
)


def saved(frame, folder):
    path = folder / "sweep.parquet"
    frame.write_parquet(path)
    return path


def test_what_is_needed_of_a_sweep_comes_back(tmp_path):
    assert read_sweep(saved(SWEEP, tmp_path)).equals(SWEEP.drop("share"))


def test_cells_that_failed_are_left_out(tmp_path):
    failed = SWEEP.with_columns(
        safe=pl.Series([70, None]), error=pl.Series([None, "WorkerDied: its worker died"])
    )
    assert read_sweep(saved(failed, tmp_path)).equals(SWEEP.drop("share")[:1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda sweep: sweep.drop("gap"), r"sweep.parquet: gap\(=.*\) must be a column"),
        (lambda sweep: sweep.clear(), "must hold at least one cell"),
        (lambda sweep: sweep.with_columns(hazard=pl.lit("x")), r"hazard\(=.*must be numbers"),
        (lambda sweep: sweep.with_columns(hazard=pl.lit(-1.0)), r"hazard\(=-1.0\).*>= 0"),
        (lambda sweep: sweep.with_columns(gap=pl.lit(float("nan"))), r"gap\(=nan\).*finite"),
        (lambda sweep: sweep.with_columns(safe=pl.lit(101)), r"safe\(=101\) must be at most"),
        (lambda sweep: sweep.with_columns(safe=pl.lit(1.5)), r"safe\(=.*whole numbers"),
        (lambda sweep: sweep.with_columns(decisions=pl.lit(0)), r"decisions\(=0\).*>= 1"),
        (
            lambda sweep: sweep.with_columns(decisions=pl.lit(None, pl.Int64)),
            r"decisions\(=None\)",
        ),
    ],
)
def test_a_sweep_that_cannot_be_used_is_refused_with_its_column(tmp_path, change, message):
    with pytest.raises(BadInput, match=message):
        read_sweep(saved(change(SWEEP), tmp_path))


def test_files_that_are_no_parquet_are_refused(tmp_path):
    (tmp_path / "text.parquet").write_text("hazard,gap\n")
    for path in (tmp_path / "missing.parquet", tmp_path, tmp_path / "text.parquet"):
        with pytest.raises(BadInput, match="sweep"):
            read_sweep(path)


@given(st.data())
def test_a_damaged_file_is_refused_or_read_but_never_worse(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "damaged.parquet"
    SWEEP.write_parquet(path)
    whole = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    with suppress(BadInput):
        frame = read_sweep(path)
        assert (frame["safe"] <= frame["decisions"]).all()
