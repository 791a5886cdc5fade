from helpers_lint import fails, passes
from helpers_lint_files import database

RECORDS = [("sqlitestore_version", "1.0"), ("incompatible_flags", "")]

FAILING = [
    fails(database(records=[*RECORDS, ("compatible_flags", flags)]), {"level": "warning"})
    for flags in ("sorted", "a,b", ",")
]

PASSING = [passes(database())]
