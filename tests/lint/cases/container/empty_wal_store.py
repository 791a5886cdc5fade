from helpers_lint import fails, passes
from helpers_lint_files import in_wal_mode

FAILING = [
    fails(
        in_wal_mode(keep_log=False, empty=True), also=("container/wal-mode", "hierarchy/no-nodes")
    )
]

PASSING = [passes(in_wal_mode(keep_log=False), also=("container/wal-mode",))]
