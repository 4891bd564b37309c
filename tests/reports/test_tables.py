import csv
import io
from pathlib import Path

import polars as pl
import pytest

from reports.tables import TABLES, paper_figures, write_table
from reports.tables.writers import to_csv, to_latex, to_markdown
from sim.measures import SHARES
from theory import BadInput

FRAME = pl.DataFrame({"a_name": ["50 % & more", None], "share": [0.12345678901234567, 1.0]})


def test_csv_keeps_every_digit():
    rows = list(csv.reader(io.StringIO(to_csv(FRAME))))
    assert rows[0] == ["a_name", "share"]
    assert float(rows[1][1]) == 0.12345678901234567


def test_markdown_is_a_table():
    assert to_markdown(FRAME.with_columns(a_name=pl.lit("x|y"))) == (
        "| a name | share |\n| --- | --: |\n| x\\|y | 0.123 |\n| x\\|y | 1.000 |\n"
    )


def test_latex_is_escaped_and_ruled():
    text = to_latex(FRAME)
    assert text.splitlines()[0] == "\\begin{tabular}{lr}"
    assert "50 \\% \\& more & 0.123 \\\\" in text
    assert [line for line in text.splitlines() if line.endswith("rule")] == [
        "\\toprule",
        "\\midrule",
        "\\bottomrule",
    ]
    nasty = to_latex(pl.DataFrame({"x": ["a\\b_c^d~e{f}$#"]}))
    assert r"a\textbackslash{}b\_c\textasciicircum{}d\textasciitilde{}e\{f\}\$\#" in nasty


@pytest.mark.parametrize("ending", ["csv", "md", "tex"])
def test_a_table_is_written_as_its_ending_says(ending, tmp_path):
    write_table(FRAME, tmp_path / f"t.{ending}")
    text = (tmp_path / f"t.{ending}").read_text()
    assert text == {"csv": to_csv, "md": to_markdown, "tex": to_latex}[ending](FRAME)


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(BadInput, match="must end with one of"):
        write_table(FRAME, tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_every_table_can_be_made_and_written(saved_run, tmp_path):
    for name, make in TABLES.items():
        frame = make(saved_run.run)
        # The run has one judge that reads texts: no other to compare it with.
        assert frame.is_empty() == (name == "judges"), name
        for ending in ("csv", "md", "tex"):
            write_table(frame, tmp_path / f"{name}.{ending}")
    assert len(list(Path(tmp_path).iterdir())) == 3 * len(TABLES)


def test_the_paper_s_counts_give_the_percentages_that_it_reports():
    """Percentages as reported, with one decimal, of the figures that are shares of decisions."""
    reported = {
        ("direct", "none", 3, "accuracy", None): 45.5,
        ("stress", "none", 3, "accuracy", None): 36.0,
        ("direct", "bm25-text", 3, "pair_recall", None): 97.1,
        ("stress2", "none", 3, "accuracy", None): 61.6,
        ("direct", "name", 3, "accuracy", None): 70.0,
        ("direct", "bm25-text", 3, "accuracy", None): 71.8,
        ("direct", "broadcast", 3, "accuracy", None): 55.5,
        ("direct", "decisive", 3, "keep", None): 62.0,
        ("stress", "bm25-text", 3, "accuracy", None): 85.3,
        ("stress", "bm25-text+time-filter", 3, "accuracy", None): 92.0,
        ("stress", "broadcast", 3, "accuracy", None): 78.7,
        ("stress2", "bm25-text", 3, "accuracy", None): 89.0,
        ("stress2", "related", 3, "accuracy", None): 94.5,
        ("indirect", "bm25-text", 3, "accuracy", None): 78.9,
        ("indirect", "bm25-dossier", 3, "accuracy", None): 93.0,
        ("indirect", "bm25-watch", 3, "accuracy", None): 91.4,
        ("indirect", "bm25-text", 3, "recall", "other-name"): 37.5,
        ("indirect", "bm25-text", 3, "recall", "upstream"): 12.5,
        ("indirect", "bm25-dossier", 1, "recall", None): 85.9,
        ("indirect", "bm25-watch", 3, "recall", None): 92.2,
        ("indirect", "bm25-watch", 1, "recall", None): 71.9,
    }
    figures = paper_figures()
    for key, percentage in reported.items():
        assert round(100 * figures[key].share, 1) == percentage, key
    measures = {*SHARES, "pair_recall", "traps"}
    assert all(figure.measure in measures for figure in figures.values())


def test_a_count_allows_what_lies_within_its_exact_limits():
    """6 of 16 spans 15.2 to 64.6 %, as every table of binomial limits says."""
    figure = paper_figures()["indirect", "bm25-text", 3, "recall", "other-name"]
    assert figure.allows(0.16)
    assert figure.allows(0.64)
    assert not figure.allows(0.15)
    assert not figure.allows(0.65)
