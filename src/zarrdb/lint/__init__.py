"""`zarrdb check`: rules, findings and reports."""
