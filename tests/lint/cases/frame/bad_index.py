import blosc2  # type: ignore[import-untyped]
import numpy as np

from helpers_lint import fails, passes
from helpers_lint_files import Writer
from helpers_lint_frames import CBYTES, GOOD, HEADER, frame, patched

AT = HEADER + CBYTES
SIZE = int.from_bytes(GOOD[AT + 12 : AT + 16], "little")
OFFSETS = np.frombuffer(blosc2.decompress2(GOOD[AT:]), "<i8")


def offsets(*values: int) -> Writer:
    """The good frame with other offsets of its chunks, of whatever length."""
    chunk = blosc2.compress2(np.array(values, "<i8"), clevel=0, nthreads=1)
    data = GOOD[:AT] + chunk + GOOD[AT + SIZE :]
    return frame(data[:16] + len(data).to_bytes(8, "big") + data[24:])


FIRST, SECOND, THIRD, FOURTH = OFFSETS.tolist()
UNKNOWN_KIND = -(1 << 63) + (7 << 56)

FAILING = [
    fails(offsets(FIRST, SECOND, THIRD), {"message": "3 offsets for 4 chunks"}),
    fails(offsets(FIRST, SECOND, THIRD, CBYTES + 9)),
    fails(offsets(FIRST, SECOND, SECOND, FOURTH)),
    fails(offsets(FIRST, UNKNOWN_KIND, THIRD, FOURTH)),
    fails(patched(AT, bytes(8))),
]

PASSING = [passes(frame()), passes(offsets(*OFFSETS.tolist()))]
