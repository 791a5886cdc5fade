from helpers_lint import fails, passes
from helpers_lint_files import METADATA, database

FAILING = [
    fails(
        database(
            schema=(METADATA, "CREATE TABLE zarr(k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)")
        )
    ),
    fails(database({}, schema=(METADATA, "CREATE TABLE zarr(k TEXT PRIMARY KEY NOT NULL)"))),
]

PASSING = [passes(database())]
