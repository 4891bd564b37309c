"""What a section of the page is made of: figures, each with a sentence and its numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reports.charts import Drawing

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Table:
    """Numbers as text, ready to be shown."""

    name: str
    """What it holds, for those who cannot see the chart."""
    columns: Sequence[str]
    """Headings."""
    rows: Sequence[Sequence[str]]
    """Cells by row, the first of which names the row."""
    prose: Sequence[str] = ()
    """Headings of columns that hold sentences."""
    muted: Sequence[str] = ()
    """Headings of columns in grey, such as the paper's figures."""
    strong: Collection[int] = ()
    """Rows that stand out, counted from 0."""


@dataclass(frozen=True)
class Figure:
    """Charts on one subject, the sentence they stand for, and their numbers."""

    id: str
    """Anchor on the page."""
    drawings: Sequence[Drawing]
    """One, or one a facet; none if the tables say it all and are shown unfolded."""
    says: str
    """What is shown, in a sentence or two."""
    tables: Sequence[Table]
    """The numbers drawn."""
    folded: bool = False
    """Whether tables without drawings are folded away too, being many."""


@dataclass(frozen=True)
class Section:
    """A part of the page under one heading."""

    id: str
    """Anchor on the page."""
    title: str
    """Its heading."""
    short: str
    """Its name in the list of contents."""
    lead: str
    """What is seen here, in a sentence or two; or what is missing, and why."""
    figures: Sequence[Figure] = ()
    """Its figures, none if what they would show is missing."""


Formats = Mapping[str, tuple[str, Callable[[Any], str]]]
"""Columns of a frame, each with its heading and how its values are written."""


def table(
    frame: pl.DataFrame,
    name: str,
    formats: Formats,
    *,
    prose: Sequence[str] = (),
    muted: Sequence[str] = (),
    strong: Collection[int] = (),
) -> Table:
    """Some columns of a frame as text; `prose`, `muted` and `strong` as in `Table`."""
    columns = [
        ["" if value is None else write(value) for value in frame[column].to_list()]
        for column, (_, write) in formats.items()
    ]
    headings = [heading for heading, _ in formats.values()]
    rows = list(zip(*columns, strict=True))
    return Table(name, headings, rows, prose=prose, muted=muted, strong=strong)
