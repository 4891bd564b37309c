"""The paper's tables as frames, from any run: to print, to write down, or for the page."""

from reports.tables.figures import PaperFigure, paper_figures
from reports.tables.frames import TABLES
from reports.tables.writers import write_table

__all__ = ["TABLES", "PaperFigure", "paper_figures", "write_table"]
