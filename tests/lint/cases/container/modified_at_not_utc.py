from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [
    fails(database(more=[("modified_at", text)]), {"level": "warning", "fixable": True})
    for text in ("2024-02-29T00:00:00+01:00", "2024-02-29T00:00:00z", "2024-02-29T00:00:00+00:00")
]

PASSING = [passes(database(more=[("modified_at", "2024-02-29T00:00:00Z")]))]
