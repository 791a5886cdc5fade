from helpers_lint import fails, passes
from helpers_lint_frames import GOOD, HEADER, frame, patched

FAILING = [
    fails(frame(GOOD[:50]), {"message": "ends at byte 50, inside the header"}),
    *(fails(frame(GOOD[:size])) for size in (HEADER - 1, len(GOOD) // 2, len(GOOD) - 1)),
    fails(patched(16, (1 << 40).to_bytes(8, "big"))),
    fails(patched(11, (40).to_bytes(4, "big"))),
    fails(patched(39, (1 << 40).to_bytes(8, "big"))),
]

PASSING = [passes(frame()), passes(frame(GOOD + b"more"))]
