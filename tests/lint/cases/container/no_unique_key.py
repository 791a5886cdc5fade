from helpers_lint import fails, passes
from helpers_lint_files import METADATA, database

FAILING = [
    fails(database(schema=(METADATA, "CREATE TABLE zarr(k TEXT NOT NULL, v BLOB NOT NULL)"))),
]

PASSING = [
    passes(
        database(
            schema=(
                METADATA,
                "CREATE TABLE zarr(k TEXT NOT NULL, v BLOB NOT NULL, PRIMARY KEY (k))",
            )
        )
    ),
]
