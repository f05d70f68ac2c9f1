"""One offline HTML file about a result: graph, edges and why, search, data, settings."""

from greedag.report.page import write_report

__all__ = ["write_report"]
