from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [fails(database(more=[("title", "x")]), {"level": "warning"})]

PASSING = [passes(database(more=[("created_by", "x"), ("modified_at", "2024-02-29T00:00:00Z")]))]
