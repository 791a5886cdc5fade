from helpers_lint import fails, passes
from helpers_lint_files import in_wal_mode

FAILING = [fails(in_wal_mode(keep_log=True), {"fixable": True}, also=("container/wal-mode",))]

PASSING = [passes(in_wal_mode(keep_log=False), also=("container/wal-mode",))]
