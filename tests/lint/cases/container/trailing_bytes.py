from helpers_lint import fails, passes
from helpers_lint_files import database, lengthened

FAILING = [fails(database(change=lengthened(b"x" * 5000)))]

PASSING = [passes(database())]
