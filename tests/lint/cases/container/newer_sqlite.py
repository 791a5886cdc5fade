from helpers_lint import fails, passes
from helpers_lint_files import DATA, METADATA, database

FAILING = [
    fails(database(schema=(METADATA, DATA + options)), {"level": "info"})
    for options in (" WITHOUT ROWID", " STRICT")
]

PASSING = [passes(database())]
