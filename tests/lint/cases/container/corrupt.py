from helpers_lint import fails, passes
from helpers_lint_files import database, patched

FAILING = [
    fails(database(change=patched(18, b"\3\3"))),
    fails(database(change=patched(4096 * 2, b"\xff" * 100)), also=()),
]

PASSING = [passes(database())]
