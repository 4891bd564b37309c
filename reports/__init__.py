"""Charts, tables, pages and the command line."""

from reports.page import Provenance, ShownFit, build_page

__all__ = ["Provenance", "ShownFit", "build_page"]
