"""A frame that another process fills while it is read."""

import subprocess
import sys
from pathlib import Path

import blosc2  # type: ignore[import-untyped]
import numpy as np

from zarrdb import frame
from zarrdb.transport.local import LocalReader

CHUNKS, SIZE = 60, 1000

WRITER = f"""
import blosc2, sys
import numpy as np
array = blosc2.open(sys.argv[1], mode="a")
for i in range({CHUNKS}):
    array[i * {SIZE}:(i + 1) * {SIZE}] = np.random.default_rng(i).integers(0, 2**40, {SIZE})
"""


def test_chunks_are_read_right_while_others_are_written(tmp_path: Path) -> None:
    path = str(tmp_path / "live.b2nd")
    blosc2.uninit(
        (CHUNKS * SIZE,), dtype="<i8", chunks=(SIZE,), blocks=(SIZE // 2,), urlpath=path, mode="w"
    )
    reader = LocalReader(path)
    found = frame.open(reader)
    with subprocess.Popen([sys.executable, "-c", WRITER, path]) as writer:
        seen: set[int] = set()
        running = True
        while running:
            running = writer.poll() is None
            found.invalidate_index()
            written = {n for n in range(CHUNKS) if found.written(n)}
            assert seen <= written
            for nchunk in sorted(written - seen)[-3:]:
                expected = np.random.default_rng(nchunk).integers(0, 2**40, SIZE)
                assert (found.read_chunk(nchunk) == expected).all()
            seen = written
    assert writer.returncode == 0
    assert seen == set(range(CHUNKS))
    reader.close()
