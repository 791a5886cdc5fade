"""The frames of a folder of vectors: made by its script, compared with what it expects."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers_frame import digest
from zarrdb import frame
from zarrdb.errors import FrameError
from zarrdb.frame import policy
from zarrdb.transport.local import LocalReader


@pytest.fixture(scope="module")
def made(vectors: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The folder of the frames and what is expected of them."""
    script = vectors / "blosc2" / "make_frames.py"
    if not script.is_file():
        pytest.skip(f"no {script}")
    folder = tmp_path_factory.mktemp("frames") / "made"
    subprocess.run(
        [sys.executable, "-W", "ignore", str(script), str(folder)],
        check=True,
        capture_output=True,
        timeout=300,
    )
    expected = json.loads((vectors / "blosc2" / "expected.json").read_text())
    return folder, expected


def run_lengths(flags: list[bool]) -> list[int]:
    """Lengths of runs, that of True first."""
    lengths, current = [0], True
    for flag in flags:
        if flag != current:
            lengths.append(0)
            current = flag
        lengths[-1] += 1
    return lengths


@pytest.mark.parametrize("by_blocks", [False, True], ids=["chunks", "blocks"])
def test_every_frame_gives_the_array_named(
    made: tuple[Path, dict[str, Any]], by_blocks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_blocks:
        for name in ("MIN_CHUNK", "ROUND_TRIP", "RANGE"):
            monkeypatch.setattr(policy, name, 0)
        monkeypatch.setattr(policy, "MAX_FRACTION", 1)
    folder, expected = made
    for name, facts in expected["frames"].items():
        reader = LocalReader(str(folder / facts["file"]))
        found = frame.open(reader)
        for field in ("shape", "chunks", "blocks"):
            assert list(getattr(found, field)) == facts[field], name
        assert (found.nchunks, found.dtype.itemsize) == (facts["nchunks"], facts["itemsize"]), name
        assert digest(found.read()) == facts["sha256"], name
        if "checks" in facts:
            key = tuple(slice(*bounds) for bounds in facts["checks"]["slice"])
            assert digest(found[key]) == facts["checks"]["sha256"], name
        written = [found.written(nchunk) for nchunk in range(found.nchunks)]
        assert run_lengths(written) == facts["written_chunks"], name
        for attribute, value in facts.get("vlmeta", {}).items():
            got = found.attributes[attribute]
            assert ({"__bytes__": got.hex()} if isinstance(got, bytes) else got) == value, name
        reader.close()


def test_every_broken_one_gives_a_clear_error(made: tuple[Path, dict[str, Any]]) -> None:
    folder, expected = made
    for name, facts in expected["broken"].items():
        path = folder / facts["file"]
        if path.is_dir():
            if frame.is_sparse(str(path)):
                assert frame.sparse_error(str(path)).reason == "not-an-array"
            continue
        reader = LocalReader(str(path))
        problems = frame.inspect(reader, data=True).problems
        assert problems, name
        if facts["stage"] != "vlmeta":
            with pytest.raises(FrameError):
                np.asarray(frame.open(reader).read())
        reader.close()
