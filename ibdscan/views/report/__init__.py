"""The report: one self-contained HTML page of one or more files, with maps to zoom and pan. May import all other
rooms of this stage.
"""

from ibdscan.views.report.page import render_report

__all__ = ["render_report"]
