from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [
    fails(database(application_id=number), {"fixable": True})
    for number in (0, 0x6007B510, 0x47504B47, 1)
]

PASSING = [passes(database())]
