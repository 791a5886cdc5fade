from helpers_lint import fails, passes
from helpers_lint_files import METADATA, database

TABLE = "CREATE TABLE zarr(k TEXT PRIMARY KEY NOT NULL COLLATE {}, v BLOB NOT NULL)"

FAILING = [fails(database(schema=(METADATA, TABLE.format(name)))) for name in ("NOCASE", "RTRIM")]

PASSING = [passes(database(schema=(METADATA, TABLE.format("BINARY"))))]
