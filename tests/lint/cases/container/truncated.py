from helpers_lint import fails, passes
from helpers_lint_files import database, shortened

FAILING = [fails(database(change=shortened(size))) for size in (1, 4096, 6000)]

PASSING = [passes(database())]
