import os

import blosc2  # type: ignore[import-untyped]
import numpy as np

from helpers_lint import fails, passes
from helpers_lint_frames import frame, patched, sparse

CHUNK = "00000001.chunk"
PLAIN = bytes(blosc2.SChunk(data=np.arange(2000), contiguous=True).to_cframe())


def incomplete(path: str) -> None:
    os.unlink(os.path.join(path, CHUNK))


FAILING = [
    fails(frame(PLAIN), {"message": "a frame without b2nd metalayer, not an array"}),
    fails(patched(26, b"\x01")),
    fails(sparse()),
    fails(
        sparse(incomplete),
        {"message": "a sparse frame, a directory with a file for each chunk; 1 missing: " + CHUNK},
    ),
]

PASSING = [passes(frame())]
