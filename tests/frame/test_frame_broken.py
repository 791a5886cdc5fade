"""Damaged frames and other files: one clear error, named as its lint rule is."""

import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import blosc2  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers_frame import MemoryReader, edited, filters, frame_of, parameters
from zarrdb import frame
from zarrdb.errors import FrameError
from zarrdb.frame import policy

ITEMS = np.cumsum(np.random.default_rng(1).integers(0, 50, (60, 80)), axis=1).astype("f8")
WHOLE = frame_of(
    ITEMS,
    chunks=(20, 40),
    blocks=(5, 20),
    cparams=parameters("LZ4", **filters("shuffle")),
    vlmeta={"units": "m/s", "scale": 0.5},
)
HEADER_LEN = struct.unpack_from(">i", WHOLE, 11)[0]
INDEX_AT = HEADER_LEN + struct.unpack_from(">q", WHOLE, 39)[0]
TRAILER = struct.unpack_from(">I", WHOLE, len(WHOLE) - 22)[0]
OFFSETS = np.frombuffer(blosc2.decompress2(WHOLE[INDEX_AT:]), "<i8")
CHUNK_2 = HEADER_LEN + int(OFFSETS[2])
FIRST_BLOCK = CHUNK_2 + struct.unpack_from("<i", WHOLE, CHUNK_2 + 32)[0]
B2ND = WHOLE.index(b"\x97\x00\x02\x92")


def with_offsets(change: Callable[[list[int]], list[int]]) -> bytes:
    """The frame with other offsets, all of its lengths put right."""
    changed = np.array(change(OFFSETS.tolist()), "<i8")
    chunk = blosc2.compress2(changed, typesize=8, nthreads=1)
    made = WHOLE[:INDEX_AT] + chunk + WHOLE[-TRAILER:]
    return edited(made, 16, struct.pack(">Q", len(made)))


def of_kind(kind: int) -> Callable[[list[int]], list[int]]:
    """Makes chunk 0 a run of this kind."""
    offset = int.from_bytes(bytes((*bytes(7), 0x80 | kind)), "little", signed=True)
    return lambda offsets: [offset, *offsets[1:]]


class Fault(NamedTuple):
    """A damaged file, and the reason of the error that reading all of it gives."""

    name: str
    data: bytes
    reason: str
    at_open: bool = True


def at_chunk(name: str, at: int, new: bytes) -> Fault:
    return Fault(name, edited(WHOLE, at, new), "bad-chunk", at_open=False)


def at_index(name: str, change: Callable[[list[int]], list[int]]) -> Fault:
    return Fault(name, with_offsets(change), "bad-index", at_open=False)


FAULTS = [
    Fault("empty", b"", "truncated"),
    *(
        Fault(f"cut-at-{at}", WHOLE[:at], "truncated")
        for at in (1, 9, 50, 87, B2ND + 9, HEADER_LEN, HEADER_LEN + 20, INDEX_AT, INDEX_AT + 9)
    ),
    Fault("cut-in-trailer", WHOLE[:-10], "truncated"),
    Fault("other-magic", edited(WHOLE, 2, b"b3frame\0"), "unreadable"),
    Fault("text", b"this is no frame at all\n" * 50, "unreadable"),
    Fault("zeros", bytes(5000), "unreadable"),
    Fault("header-mark", edited(WHOLE, 10, b"\xd3"), "truncated"),
    *(
        Fault(f"header-len-{n}", edited(WHOLE, 11, struct.pack(">i", n)), "truncated")
        for n in (-5, 0, 40, 1 << 20, (1 << 31) - 1)
    ),
    *(
        Fault(f"frame-len-{n}", edited(WHOLE, 16, struct.pack(">Q", n)), "truncated")
        for n in (0, 100, len(WHOLE) + 1, 1 << 40, (1 << 64) - 1)
    ),
    *(
        Fault(f"cbytes-{n}", edited(WHOLE, 39, struct.pack(">q", n)), "truncated")
        for n in (-1, 1 << 40, (1 << 63) - 1)
    ),
    Fault("version-9", edited(WHOLE, 25, b"\x19"), "unreadable"),
    Fault("version-0", edited(WHOLE, 25, b"\x10"), "unreadable"),
    Fault("offsets-32-bits", edited(WHOLE, 25, b"\x02"), "unreadable"),
    Fault("sparse", edited(WHOLE, 26, b"\x01"), "not-an-array"),
    Fault("variable-chunks", edited(WHOLE, 25, b"\x53"), "not-an-array"),
    Fault("negative-nbytes", edited(WHOLE, 30, struct.pack(">q", -8)), "truncated"),
    Fault("typesize-0", edited(WHOLE, 48, bytes(4)), "truncated"),
    Fault("huge-nbytes", edited(WHOLE, 30, struct.pack(">q", 1 << 50)), "bad-metalayer"),
    Fault("other-blocksize", edited(WHOLE, 53, struct.pack(">i", 16)), "bad-metalayer"),
    Fault("other-chunksize", edited(WHOLE, 58, struct.pack(">i", 16)), "bad-metalayer"),
    Fault("negative-shape", edited(WHOLE, B2ND + 5, struct.pack(">q", -3)), "bad-metalayer"),
    Fault("huge-shape", edited(WHOLE, B2ND + 5, struct.pack(">q", 1 << 55)), "bad-metalayer"),
    Fault("zero-shape", edited(WHOLE, B2ND + 5, struct.pack(">q", 0)), "bad-metalayer"),
    Fault("zero-chunk", edited(WHOLE, B2ND + 23, struct.pack(">i", 0)), "bad-metalayer"),
    Fault("negative-block", edited(WHOLE, B2ND + 34, struct.pack(">i", -5)), "bad-metalayer"),
    Fault("other-ndim", edited(WHOLE, B2ND + 2, b"\x05"), "bad-metalayer"),
    Fault("many-dimensions", edited(WHOLE, B2ND + 2, b"\x7f"), "bad-metalayer"),
    Fault("b2nd-version", edited(WHOLE, B2ND + 1, b"\x01"), "bad-metalayer"),
    Fault("b2nd-items", edited(WHOLE, B2ND, b"\x93"), "bad-metalayer"),
    Fault("other-dtype", WHOLE.replace(b"<f8", b"zz9"), "bad-metalayer"),
    Fault("object-dtype", WHOLE.replace(b"<f8", b"|O8"), "bad-metalayer"),
    Fault("other-itemsize", WHOLE.replace(b"<f8", b"<f4"), "bad-metalayer"),
    Fault("dtype-format", WHOLE.replace(b"\x00\xdb", b"\x03\xdb"), "bad-metalayer"),
    Fault("no-b2nd", WHOLE.replace(b"b2nd", b"c2nd"), "not-an-array"),
    *(
        Fault(
            f"metalayer-at-{n}",
            edited(WHOLE, WHOLE.index(b"b2nd") + 5, struct.pack(">i", n)),
            "bad-metalayer",
        )
        for n in (-1, 0, 90, HEADER_LEN, 1 << 30)
    ),
    Fault("metalayer-length", edited(WHOLE, B2ND - 4, b"\x7f\0\0\0"), "bad-metalayer"),
    Fault("metalayer-list", edited(WHOLE, 87, b"\xc1"), "bad-metalayer"),
    at_index("offset-beyond", lambda o: [*o[:2], 1 << 40, *o[3:]]),
    at_index("offset-at-end", lambda o: [*o[:2], INDEX_AT - HEADER_LEN - 4, *o[3:]]),
    *(at_index(f"kind-{kind}", of_kind(kind)) for kind in (0, 3, 5, 6, 7)),
    at_index("negative-offset", lambda o: [-8, *o[1:]]),
    at_index("too-few", lambda o: o[:-1]),
    at_index("too-many", lambda o: [*o, o[-1] + 1]),
    at_index("same-place", lambda o: [o[0], o[0], *o[2:]]),
    at_index("one-place", lambda o: [0] * len(o)),
    Fault(
        "index-garbage",
        edited(WHOLE, INDEX_AT + 32, np.random.default_rng(3).bytes(24)),
        "bad-index",
        at_open=False,
    ),
    Fault("index-header", edited(WHOLE, INDEX_AT, bytes(16)), "bad-index", at_open=False),
    Fault("index-cbytes", edited(WHOLE, INDEX_AT + 12, b"\0\0\0\x40"), "bad-index", at_open=False),
    Fault("index-run", edited(WHOLE, INDEX_AT + 31, b"\x20"), "bad-index", at_open=False),
    at_chunk("chunk-cbytes-huge", CHUNK_2 + 12, struct.pack("<i", 1 << 30)),
    at_chunk("chunk-cbytes-negative", CHUNK_2 + 12, struct.pack("<i", -7)),
    at_chunk("chunk-cbytes-small", CHUNK_2 + 12, struct.pack("<i", 40)),
    at_chunk("chunk-nbytes-huge", CHUNK_2 + 4, struct.pack("<i", (1 << 31) - 64)),
    at_chunk("chunk-nbytes-negative", CHUNK_2 + 4, struct.pack("<i", -64)),
    at_chunk("chunk-blocksize", CHUNK_2 + 8, struct.pack("<i", 128)),
    at_chunk("chunk-blocksize-0", CHUNK_2 + 8, struct.pack("<i", 0)),
    at_chunk("chunk-typesize-0", CHUNK_2 + 3, b"\0"),
    at_chunk("chunk-version", CHUNK_2, b"\x07"),
    at_chunk("chunk-zeroed", CHUNK_2, bytes(32)),
    at_chunk("chunk-lazy", CHUNK_2 + 31, b"\x08"),
    at_chunk("chunk-without-dictionary", CHUNK_2 + 31, b"\x01"),
    at_chunk("chunk-kind-5", CHUNK_2 + 31, b"\x50"),
    at_chunk("chunk-value-too-long", CHUNK_2 + 31, b"\x30"),
    at_chunk("chunk-uncompressed", CHUNK_2 + 2, b"\x07"),
    at_chunk("chunk-variable-blocks", CHUNK_2 + 30, b"\x01"),
    at_chunk("block-start-beyond", CHUNK_2 + 32, struct.pack("<i", 1 << 30)),
    at_chunk("block-start-negative", CHUNK_2 + 32, struct.pack("<i", -64)),
    at_chunk("block-start-in-header", CHUNK_2 + 32, struct.pack("<i", 36)),
    at_chunk("stream-length", FIRST_BLOCK, struct.pack("<i", 1 << 30)),
]


@pytest.fixture(autouse=True, scope="module")
def no_pauses() -> Iterator[None]:
    """What is damaged is looked at again at once: nobody is writing it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("zarrdb.frame.state._PAUSE", 0)
        yield


@pytest.fixture(params=FAULTS, ids=lambda fault: fault.name)
def fault(request: pytest.FixtureRequest) -> Fault:
    found: Fault = request.param
    return found


def read_all(data: bytes) -> None:
    frame.open(MemoryReader(data)).read()


def test_reading_gives_one_error_with_its_reason(fault: Fault) -> None:
    with pytest.raises(FrameError) as caught:
        read_all(fault.data)
    assert caught.value.reason == fault.reason
    assert caught.value.message.startswith("memory.b2nd")
    assert isinstance(caught.value, ValueError)
    assert caught.value.exit_code == 3


def test_reading_by_blocks_gives_the_same_error(
    fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "MIN_CHUNK", 0)
    monkeypatch.setattr(policy, "RANGE", 0)
    monkeypatch.setattr(policy, "ROUND_TRIP", 0)
    monkeypatch.setattr(policy, "MAX_FRACTION", 1)
    with pytest.raises(FrameError) as caught:
        read_all(fault.data)
    assert caught.value.reason == fault.reason


def test_opening_finds_what_the_header_has(fault: Fault) -> None:
    if fault.at_open:
        with pytest.raises(FrameError):
            frame.open(MemoryReader(fault.data))
    else:
        assert frame.open(MemoryReader(fault.data)).shape == ITEMS.shape


def test_inspection_raises_nothing_and_tells_all(fault: Fault) -> None:
    facts = frame.inspect(MemoryReader(fault.data), data=True)
    assert [problem.reason for problem in facts.problems] == [fault.reason]
    assert (facts.header is None) == fault.at_open


def test_other_chunks_of_a_damaged_frame_can_be_read() -> None:
    found = frame.open(MemoryReader(edited(WHOLE, CHUNK_2, bytes(32))))
    assert (found.read_chunk(1) == ITEMS[found.region(1)]).all()
    with pytest.raises(FrameError, match="chunk 2"):
        found.read_chunk(2)


def test_inspection_finds_several_faults() -> None:
    chunk_4 = HEADER_LEN + int(OFFSETS[4])
    data = edited(edited(WHOLE, CHUNK_2, bytes(32)), chunk_4, bytes(32))
    data = edited(data, len(data) - 22, b"\xff\xff")
    facts = frame.inspect(MemoryReader(data))
    assert [problem.reason for problem in facts.problems] == ["truncated", *["bad-chunk"] * 2]
    assert facts.attributes is None


def test_facts_of_a_good_frame() -> None:
    never = blosc2.uninit((40,), dtype="<i4", chunks=(10,), blocks=(5,))
    never[10:20] = 7
    facts = frame.inspect(MemoryReader(bytes(never.to_cframe()) + b"more"), data=True)
    assert facts.problems == ()
    assert (facts.nstored, facts.nunwritten, facts.trailing) == (1, 3, 4)
    assert facts.attributes == {}


@pytest.mark.parametrize(
    ("at", "new"),
    [
        (len(WHOLE) - 22, struct.pack(">I", 1 << 31)),
        (len(WHOLE) - 22, struct.pack(">I", 0)),
        (len(WHOLE) - 23, b"\0"),
        (WHOLE.rindex(b"units"), b"un\xff\xffs"),
        (len(WHOLE) - TRAILER, b"\x91\x01\xc0"),
    ],
)
def test_a_damaged_trailer_matters_only_for_attributes(at: int, new: bytes) -> None:
    found = frame.open(MemoryReader(edited(WHOLE, at, new)))
    assert (found.read() == ITEMS).all()
    with pytest.raises(FrameError) as caught:
        _ = found.attributes
    assert caught.value.reason in ("truncated", "bad-metalayer")


def test_attributes_that_lie_about_their_size() -> None:
    at = WHOLE.index(b"\xc6", WHOLE.rindex(b"scale")) + 5
    found = frame.open(MemoryReader(edited(WHOLE, at + 4, struct.pack("<i", (1 << 31) - 1))))
    with pytest.raises(FrameError, match="attribute"):
        _ = found.attributes


def test_a_frame_that_is_no_array_is_named() -> None:
    plain = blosc2.SChunk(chunksize=400, data=bytes(4000), cparams={"typesize": 4})
    with pytest.raises(FrameError, match="not an array") as caught:
        frame.open(MemoryReader(plain.to_cframe()))
    assert caught.value.reason == "not-an-array"


def test_sparse_frames_are_named_with_the_chunks_they_lack(tmp_path: Path) -> None:
    path = tmp_path / "sparse.b2nd"
    blosc2.asarray(
        ITEMS, chunks=(20, 40), blocks=(5, 20), urlpath=str(path), mode="w", contiguous=False
    )
    (path / ".DS_Store").write_bytes(b"x")
    assert frame.is_sparse(str(path))
    whole = frame.sparse_error(str(path))
    assert whole.reason == "not-an-array"
    assert "missing" not in whole.message
    for number in (1, 4):
        os.unlink(path / f"{number:08X}.chunk")
    error = frame.sparse_error(str(path))
    assert "2 missing: 00000001.chunk, 00000004.chunk" in error.message
    (path / "chunks.b2frame").write_bytes(b"no frame")
    assert "cannot be read" in frame.sparse_error(str(path)).message
    assert not frame.is_sparse(str(tmp_path))
    with pytest.raises(FrameError, match="sparse"):
        frame.FsspecNDSource(str(path))


def test_a_store_of_frames_is_a_directory(tmp_path: Path) -> None:
    path = str(tmp_path / "tree.b2d")
    with blosc2.TreeStore(path, mode="w") as tree:
        tree["/group/a"] = ITEMS
    with pytest.raises(FrameError, match="a directory, not a frame") as caught:
        frame.FsspecNDSource(path)
    assert caught.value.reason == "not-an-array"


def outcome(data: bytes) -> str:
    """What reading does: `read`, or the reason of the FrameError; nothing else gets out."""
    try:
        found = frame.open(MemoryReader(data))
        if found.header.fixed.nbytes > 1 << 24:
            return "large"
        found.read()
        _ = found.attributes
    except FrameError as error:
        return error.reason
    return "read"


REASONS = {
    *("read", "large", "unreadable", "truncated", "bad-metalayer", "bad-index", "bad-chunk"),
    "not-an-array",
}
FRAGILE = [*range(HEADER_LEN), *range(INDEX_AT, len(WHOLE)), *range(CHUNK_2, CHUNK_2 + 64)]


@given(
    st.lists(st.tuples(st.sampled_from(FRAGILE), st.integers(0, 255)), min_size=1, max_size=4),
    st.booleans(),
)
def test_no_change_of_bytes_does_more_than_raise_frame_error(
    changes: list[tuple[int, int]], by_blocks: bool
) -> None:
    data = bytearray(WHOLE)
    for at, value in changes:
        data[at] = value
    with pytest.MonkeyPatch.context() as patch:
        if by_blocks:
            patch.setattr(policy, "MIN_CHUNK", 0)
            patch.setattr(policy, "RANGE", 0)
            patch.setattr(policy, "ROUND_TRIP", 0)
            patch.setattr(policy, "MAX_FRACTION", 1)
        assert outcome(bytes(data)) in REASONS


@given(st.sampled_from(range(HEADER_LEN)), st.integers(0, 255))
@example(11, 127)
@example(16, 255)
@example(39, 127)
def test_one_byte_of_the_header(at: int, value: int) -> None:
    assert outcome(edited(WHOLE, at, bytes([value]))) in REASONS


@given(st.integers(0, len(WHOLE)), st.binary(max_size=40))
def test_no_cut_or_tail_does_more_than_raise_frame_error(length: int, tail: bytes) -> None:
    assert outcome(WHOLE[:length] + tail) in REASONS


@given(st.binary(max_size=300))
def test_noise_behind_the_magic(noise: bytes) -> None:
    assert outcome(WHOLE[:10] + noise) != "read"
