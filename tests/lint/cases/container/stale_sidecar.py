from helpers_lint import fails, passes
from helpers_lint_files import beside, database

FAILING = [
    fails(database(change=beside("-journal", bytes(512))), {"fixable": True}),
    fails(database(change=beside("-journal", b"no journal at all" * 40))),
]

PASSING = [passes(database())]
