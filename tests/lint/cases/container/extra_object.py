from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [
    fails(database(after=(statement,)), {"level": "info"})
    for statement in (
        "CREATE VIEW sizes AS SELECT k, length(v) FROM zarr",
        "CREATE INDEX i ON zarr(length(v))",
    )
]

PASSING = [passes(database())]
