from helpers_lint import fails, passes
from helpers_lint_files import database, in_wal_mode

FAILING = [
    fails(in_wal_mode(keep_log=False), {"fixable": True}),
    fails(in_wal_mode(keep_log=True), also=("container/unmerged-log",)),
]

PASSING = [passes(database())]
