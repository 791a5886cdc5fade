from helpers_lint import fails, passes
from helpers_lint_files import DATA, METADATA, database

FAILING = [
    fails(database(schema=(DATA,), records=())),
    fails(database({}, schema=(METADATA,))),
    fails(database({}, schema=(METADATA, "CREATE VIEW zarr AS SELECT 'a' AS k, x'00' AS v"))),
]

PASSING = [passes(database())]
