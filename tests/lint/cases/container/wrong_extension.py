from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [fails(database(name="x.sqlite"), {"level": "info"})]

PASSING = [passes(database())]
