"""Charts, one subject a file: theory is a thin line in ink, a measurement a dot with its limits."""

from reports.charts.drawing import Drawing

__all__ = ["Drawing"]
