from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [
    fails(database(after=("CREATE TABLE notes(x)",)), {"level": "warning"}),
]

PASSING = [passes(database(after=("ANALYZE",)))]
