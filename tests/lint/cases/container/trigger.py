from helpers_lint import fails, passes
from helpers_lint_files import database

TRIGGER = "CREATE TRIGGER t AFTER INSERT ON {} BEGIN SELECT 1; END"

FAILING = [
    fails(database(after=(TRIGGER.format(table),)), {"level": "warning"})
    for table in ("zarr", "zarr_sqlitestore_metadata")
]

PASSING = [passes(database())]
