"""The report: one HTML file that holds theory and measurement side by side."""

from reports.page.build import SECTIONS, build_page
from reports.page.provenance import Provenance
from reports.page.shown_fit import ShownFit
from reports.page.shown_natural import ShownNatural

__all__ = ["SECTIONS", "Provenance", "ShownFit", "ShownNatural", "build_page"]
