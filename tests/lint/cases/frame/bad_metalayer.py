from helpers_lint import fails, passes
from helpers_lint_frames import GOOD, frame, patched

B2ND = GOOD.index(b"\x97\x00\x02")
DTYPE = GOOD.index(b"<f8")

FAILING = [
    fails(patched(B2ND + 2, b"\x05")),
    fails(patched(DTYPE, b"|O8")),
    fails(patched(DTYPE, b"zz9")),
    fails(patched(B2ND + 5, (-1).to_bytes(8, "big", signed=True))),
    fails(patched(B2ND + 5, (1 << 40).to_bytes(8, "big"))),
    # The name of the attribute is no text any more.
    fails(patched(GOOD.rindex(b"units"), b"\xff")),
]

PASSING = [passes(frame())]
