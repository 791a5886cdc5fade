"""`zarrdb check`: rules, findings and reports."""

from zarrdb.lint.finding import Finding
from zarrdb.lint.report import FileReport, Report
from zarrdb.lint.run import Options, check, check_file
from zarrdb.lint.selection import Selection

__all__ = ["FileReport", "Finding", "Options", "Report", "Selection", "check", "check_file"]
