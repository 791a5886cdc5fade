from helpers_lint import fails, passes
from helpers_lint_files import database

FLAGS = [("compatible_flags", ""), ("incompatible_flags", "")]

FAILING = [
    fails(database(records=[("sqlitestore_version", version), *FLAGS]))
    for version in ("2.0", "0.9", "1", "1.0.0", "", "v1.0", "01.0", " 1.0", "1.0\n", "x")
]

PASSING = [passes(database())]
