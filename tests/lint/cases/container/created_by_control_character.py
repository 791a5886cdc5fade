from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [fails(database(more=[("created_by", "a\x1b[2Jb")]), {"level": "info"})]

PASSING = [passes(database(more=[("created_by", "zarr 3.1 ✓")]))]
