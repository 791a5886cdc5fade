from helpers_frame import edited
from helpers_lint import fails, passes
from helpers_lint_frames import GOOD, chunk_at, frame, garbled, patched

LIAR = (1 << 30).to_bytes(4, "little")

FAILING = [
    fails(patched(chunk_at(2) + 12, LIAR), {"count": 1}),
    fails(patched(chunk_at(2) + 4, LIAR)),
    fails(patched(chunk_at(2) + 8, bytes(4))),
    fails(patched(chunk_at(2), bytes(32)), {"message": "chunk 2: its header is damaged"}),
    fails(patched(chunk_at(2) + 32, LIAR)),
    fails(frame(edited(edited(GOOD, chunk_at(0), bytes(32)), chunk_at(3), LIAR)), {"count": 2}),
]

PASSING = [
    passes(frame()),
    # What is compressed is looked at only with --data.
    passes(frame(garbled())),
]
