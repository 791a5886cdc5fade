from helpers_lint import fails, passes
from helpers_lint_frames import frame, never_written

FAILING = [
    fails(never_written(), {"count": 4, "message": "4 of 4 chunks were never written"}),
    fails(never_written(but=slice(10, 20)), {"count": 3, "level": "info"}),
]

PASSING = [passes(frame()), passes(never_written(but=slice(None)))]
