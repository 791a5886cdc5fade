from helpers_lint import fails, passes
from helpers_lint_files import database

FLAGS = [("compatible_flags", ""), ("incompatible_flags", "")]

FAILING = [fails(database(records=[("sqlitestore_version", "1.7"), *FLAGS]), {"level": "info"})]

PASSING = [passes(database())]
