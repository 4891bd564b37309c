"""Tables as files: CSV with every digit, Markdown and LaTeX (booktabs) rounded to be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from theory.errors import BadInput

_DIGITS = 3
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    }
)


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as the ending of `path` says: .csv, .md or .tex."""
    if path.suffix not in FORMATS:
        raise BadInput("path", str(path), f"must end with one of {', '.join(FORMATS)}")
    from reports.files import written_whole

    with written_whole(path) as part:
        part.write_text(FORMATS[path.suffix](frame), encoding="utf-8")


def to_csv(frame: pl.DataFrame) -> str:
    """Comma-separated, floats with every digit."""
    return frame.write_csv()


def to_markdown(frame: pl.DataFrame) -> str:
    """A table of GitHub's Markdown; numbers are set right."""
    head = [name.replace("_", " ") for name in frame.columns]
    rule = ["--:" if dtype.is_numeric() else "---" for dtype in frame.dtypes]
    rows = [[_text(value).replace("|", r"\|") for value in row] for row in frame.iter_rows()]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, rule, *rows))


def to_latex(frame: pl.DataFrame) -> str:
    """A `tabular` with the rules of booktabs; every text escaped."""
    columns = "".join("r" if dtype.is_numeric() else "l" for dtype in frame.dtypes)
    head = [name.replace("_", " ").translate(_LATEX) for name in frame.columns]
    rows = [[_text(value).translate(_LATEX) for value in row] for row in frame.iter_rows()]
    lines = [
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        f"{' & '.join(head)} \\\\",
        "\\midrule",
        *(f"{' & '.join(cells)} \\\\" for cells in rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _text(value: object) -> str:
    """A value on one line; an empty cell for what is missing."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{_DIGITS}f}"
    return re.sub(r"\s+", " ", str(value))


FORMATS: Mapping[str, Callable[[pl.DataFrame], str]] = {
    ".csv": to_csv,
    ".md": to_markdown,
    ".tex": to_latex,
}
"""How each ending is written."""
