from helpers_lint import fails, passes
from helpers_lint_files import METADATA, database

FAILING = [
    fails(database(schema=(METADATA, table)), {"level": "warning"})
    for table in (
        "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB NOT NULL)",
        "CREATE TABLE zarr(k TEXT UNIQUE NOT NULL, v BLOB NOT NULL)",
        "CREATE TABLE zarr(k VARCHAR(9) PRIMARY KEY NOT NULL, v BLOB NOT NULL)",
        "CREATE TABLE ZARR(K TEXT PRIMARY KEY NOT NULL, V BLOB NOT NULL)",
    )
]

PASSING = [
    passes(
        database(
            schema=(METADATA, 'CREATE TABLE "zarr"("k" text primary key not null, v blob not null)')
        )
    ),
]
