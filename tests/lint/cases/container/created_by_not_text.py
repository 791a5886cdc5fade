from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [fails(database(more=[("created_by", b"x")]), {"level": "warning"})]

PASSING = [passes(database(more=[("created_by", "x")]))]
