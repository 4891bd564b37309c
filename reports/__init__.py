"""Charts, tables, pages and the command line."""

from reports.page import Provenance, ShownFit, ShownNatural, build_page

__all__ = ["Provenance", "ShownFit", "ShownNatural", "build_page"]
