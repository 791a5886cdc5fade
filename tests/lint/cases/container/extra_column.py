from helpers_lint import fails, passes
from helpers_lint_files import METADATA, database

TABLE = "CREATE TABLE zarr(k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL, {})"

FAILING = [
    fails(database(schema=(METADATA, TABLE.format(column))))
    for column in ("mtime INTEGER", "n INTEGER GENERATED ALWAYS AS (length(v)) VIRTUAL")
]

PASSING = [passes(database())]
