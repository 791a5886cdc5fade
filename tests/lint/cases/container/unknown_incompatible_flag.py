from helpers_lint import fails, passes
from helpers_lint_files import database

RECORDS = [("sqlitestore_version", "1.0"), ("compatible_flags", "")]

FAILING = [
    fails(database(records=[*RECORDS, ("incompatible_flags", flags)]))
    for flags in ("packed", "a,b", " ", "none")
]

PASSING = [passes(database())]
