"""Chunks whose blocks and streams do not fill their places, and those of writers, which do."""

import struct
from typing import Any, NamedTuple

import blosc2  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from helpers_frame import CODECS, MemoryReader, edited, filters, frame_of, opened, parameters
from zarrdb import frame
from zarrdb.errors import FrameError
from zarrdb.frame import policy, state

STEPS = np.cumsum(np.random.default_rng(1).integers(0, 50, (40, 60)), axis=1).astype("<i4")
NOISE = np.cumsum(np.random.default_rng(2).normal(size=(40, 60)), axis=1)
WIDE = {"chunks": (20, 60), "blocks": (10, 20)}
NEVER = {"splitmode": blosc2.SplitMode.NEVER_SPLIT}
TILED = np.tile(np.arange(500, dtype="<i4"), 40).reshape(50, 400)

FRAMES: dict[str, bytes] = {
    **{codec: frame_of(NOISE, **WIDE, cparams=parameters(codec)) for codec in CODECS},
    **{
        f"{codec}-one-stream": frame_of(STEPS, **WIDE, cparams=parameters(codec, **NEVER))
        for codec in CODECS
    },
    "some-zeros": frame_of(np.where(NOISE > 0, NOISE, 0), **WIDE, cparams=parameters("LZ4")),
    "bitshuffle": frame_of(STEPS, **WIDE, cparams=parameters("LZ4", **filters("bitshuffle"))),
    "delta": frame_of(STEPS, **WIDE, cparams=parameters("LZ4", **filters("delta+shuffle"))),
    "dictionary": frame_of(
        TILED, chunks=(50, 200), blocks=(2, 40), cparams=parameters("ZSTD", use_dict=True)
    ),
}


class Stream(NamedTuple):
    """Where the length of a stream stands, what it says, and the length of its content."""

    at: int
    csize: int
    length: int


def chunk_at(data: bytes, nchunk: int = 0) -> int:
    """Where a chunk starts in its frame."""
    return opened(data).state.plan.index.offset(nchunk)


def streams(data: bytes, nchunk: int = 0) -> list[Stream]:
    """All streams of a chunk, in the order of its blocks."""
    chunk = chunk_at(data, nchunk)
    flags, typesize, nbytes, blocksize = struct.unpack_from("<2xBB2i", data, chunk)
    count = 1 if flags & 0x10 else typesize
    found = []
    for start in struct.unpack_from(f"<{nbytes // blocksize}i", data, chunk + 32):
        at = chunk + start
        for _ in range(count):
            (csize,) = struct.unpack_from("<i", data, at)
            found.append(Stream(at, csize, blocksize // count))
            at += 4 + (csize if csize >= 0 else 1)
    return found


@pytest.fixture(autouse=True, scope="module")
def no_pauses() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state, "_PAUSE", 0)
        yield


def refused(data: bytes, reason: str = "bad-chunk") -> str:
    """What reading says, by chunks and by blocks, and the check as well."""
    messages = set()
    for by_blocks in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if by_blocks:
                for name in ("MIN_CHUNK", "RANGE", "ROUND_TRIP"):
                    patch.setattr(policy, name, 0)
                patch.setattr(policy, "MAX_FRACTION", 1)
            with pytest.raises(FrameError) as caught:
                opened(data).read()
        assert caught.value.reason == reason
        messages.add(caught.value.message.rpartition(": ")[2])
    problems = frame.inspect(MemoryReader(data), data=True).problems
    assert [problem.reason for problem in problems] == [reason]
    return messages.pop()


@pytest.fixture(params=FRAMES, ids=str)
def whole(request: pytest.FixtureRequest) -> bytes:
    return FRAMES[request.param]


def test_every_frame_has_streams_and_is_good(whole: bytes) -> None:
    assert streams(whole)
    assert frame.inspect(MemoryReader(whole), data=True).problems == ()


@pytest.mark.parametrize("csize", [0, -1, -255, 1, 7, 1 << 20, (1 << 31) - 1, -(1 << 31)])
def test_another_length_of_a_stream(whole: bytes, csize: int) -> None:
    found = streams(whole)
    for stream in (found[0], found[len(found) // 2], found[-1]):
        if max(csize, -1) != max(stream.csize, -1):
            refused(edited(whole, stream.at, struct.pack("<i", csize)))


def test_zeros_instead_of_a_length_and_all_that_follows(whole: bytes) -> None:
    """Each of them would be a stream of zeros."""
    last = streams(whole)[-1]
    if last.csize > 0:
        assert "not as long as the block" in refused(edited(whole, last.at, bytes(4 + last.csize)))


def test_two_blocks_at_one_place(whole: bytes) -> None:
    at = chunk_at(whole) + 32
    damaged = edited(whole, at, whole[at + 4 : at + 8])
    assert refused(damaged) == "two of its blocks start at the same place"
    found = frame.inspect(MemoryReader(damaged)).problems
    assert [problem.reason for problem in found] == ["bad-chunk"]


def test_a_chunk_that_says_more_bytes_than_its_blocks_have() -> None:
    data = FRAMES["LZ4"]
    room = opened(data).state.plan.index.extent(1)
    last = opened(data).header.index_at
    grown = edited(data, chunk_at(data, 0) + 12, struct.pack("<i", room))
    assert last > room
    assert opened(data).state.plan.index.extent(0) != room
    with pytest.raises(FrameError, match="chunk 0"):
        opened(grown).read()


@pytest.mark.parametrize("typesize", [1, 2, 4, 16, 255])
def test_items_of_another_size(typesize: int) -> None:
    data = FRAMES["LZ4-one-stream"]
    at = chunk_at(data) + 3
    if data[at] != typesize:
        assert "items have" in refused(edited(data, at, bytes([typesize])))


@pytest.mark.parametrize("kind", [1, 2, 4])
@pytest.mark.parametrize("name", ["LZ4", "memcpyed"])
def test_runs_have_no_compressed_bytes(kind: int, name: str) -> None:
    data = FRAMES.get(name) or frame_of(NOISE, **WIDE, cparams={"clevel": 0})
    damaged = edited(data, chunk_at(data) + 31, bytes([kind << 4]))
    assert "it is a run, but has" in refused(damaged)


def test_runs_of_nan_are_of_numbers_that_have_it() -> None:
    data = frame_of(NOISE.astype("<f2"), **WIDE)
    header = opened(data).header
    offsets = np.frombuffer(blosc2.decompress2(data[header.index_at :]), "<i8").copy()
    offsets[1] = np.int64(-0x7E << 56)
    index = blosc2.compress2(offsets, typesize=8, nthreads=1)
    (trailer,) = struct.unpack_from(">I", data, len(data) - 22)
    made = data[: header.index_at] + index + data[-trailer:]
    assert "chunk 1" in refused(edited(made, 16, struct.pack(">Q", len(made))), "bad-index")
    in_file = frame_of(np.zeros((40, 60), "<f2"), **WIDE)
    assert opened(in_file).read().any() == np.False_


def test_a_damaged_length_in_the_offsets_and_in_an_attribute() -> None:
    data = frame_of(NOISE, chunks=(5, 5), blocks=(5, 5), vlmeta={"text": "abc" * 4000})
    index = opened(data).header.index_at
    starts = index + 32
    (start,) = struct.unpack_from("<i", data, starts)
    assert refused(edited(data, index + start, bytes(4)), "bad-index")
    content = data.index(b"\xc6", data.rindex(b"text")) + 5
    (start,) = struct.unpack_from("<i", data, content + 32)
    damaged = edited(data, content + start, bytes(4))
    with pytest.raises(FrameError, match="attribute 'text'") as caught:
        _ = opened(damaged).attributes
    assert caught.value.reason == "bad-metalayer"


@pytest.mark.parametrize("codec", ["LZ4", "LZ4HC", "ZLIB", "ZSTD"])
@pytest.mark.parametrize("byte", [0x00, 0xFF, 0x55])
def test_a_hole_in_bytes_that_were_stored_as_they_are(codec: str, byte: int) -> None:
    items = np.random.default_rng(3).integers(-(1 << 63), (1 << 63) - 1, (100, 100))
    items[50:] = 7
    options = parameters(codec, **NEVER)
    data = frame_of(items, chunks=(100, 100), blocks=(5, 100), cparams=options)
    stored = [stream for stream in streams(data) if stream.csize == stream.length]
    for stream in (stored[0], stored[-1]):
        for at in (stream.at + 4, stream.at + 1000, stream.at + stream.length - 1020):
            assert "overwritten" in refused(edited(data, at, bytes([byte]) * 1024))


def test_what_the_codec_leaves_is_no_hole() -> None:
    """BloscLZ estimates, weak levels look at few bytes: both store what could be shorter."""
    rng = np.random.default_rng(4)
    noise = rng.bytes(1 << 20)
    holed = bytearray(noise)
    for at in range(0, len(holed), 1 << 16):
        holed[at : at + 270] = bytes(270)
    items = np.frombuffer(bytes(holed), "<i4").reshape(512, 512)
    for codec in CODECS:
        for level in (1, 5):
            options = parameters(codec, clevel=level, **NEVER, **filters("none"))
            data = frame_of(items, chunks=(512, 512), blocks=(256, 512), cparams=options)
            assert (opened(data).read() == items).all()


@st.composite
def holed_frames(draw: st.DrawFn) -> tuple[Any, bytes]:
    """Noise with runs of one byte, as any codec, level and split mode stores it."""
    items = np.frombuffer(np.random.default_rng(draw(st.integers(0, 9))).bytes(1 << 15), "<i4")
    content = bytearray(items.tobytes())
    for _ in range(draw(st.integers(0, 4))):
        at, size = draw(st.integers(0, len(content) - 1)), draw(st.integers(1, 4000))
        size = min(size, len(content) - at)
        content[at : at + size] = bytes([draw(st.sampled_from([0, 255, 7]))]) * size
    items = np.frombuffer(bytes(content), draw(st.sampled_from(["u1", "<i2", "<f4", "<i8"])))
    chunk = draw(st.integers(1, len(items)))
    options = parameters(
        draw(st.sampled_from(CODECS)),
        clevel=draw(st.integers(1, 6)),
        splitmode=draw(st.sampled_from(list(blosc2.SplitMode))),
        use_dict=draw(st.booleans()),
        **filters(
            draw(st.sampled_from(["none", "shuffle", "bitshuffle", "delta", "delta+shuffle"]))
        ),
    )
    chunk = max(chunk, len(items) // 20)
    block = draw(st.integers(max(1, chunk // 50), chunk))
    try:
        return items, frame_of(items, chunks=(chunk,), blocks=(block,), cparams=options)
    except RuntimeError:
        # Dictionaries are not for every codec and every number of blocks.
        assert options["use_dict"]
        reject()


@given(holed_frames())
@settings(max_examples=40)
def test_whatever_blosc2_writes_is_good(made: tuple[Any, bytes]) -> None:
    items, data = made
    assert opened(data).read().tobytes() == items.tobytes()
    assert frame.inspect(MemoryReader(data), data=True).problems == ()


FIELDS = [("<i", at) for at in (4, 8, 12, 32, 36)] + [
    ("<B", at) for at in (*range(4), *range(16, 32))
]
VALUES = st.one_of(st.integers(-(1 << 31), (1 << 31) - 1), st.integers(-64, 300))


@given(st.sampled_from(sorted(FRAMES)), st.sampled_from(FIELDS), VALUES)
def test_no_field_of_a_chunk_gives_another_error_or_one_that_the_check_misses(
    name: str, field: tuple[str, int], value: int
) -> None:
    layout, at = field
    whole = FRAMES[name]
    new = struct.pack(layout, value % 256 if layout == "<B" else value)
    data = edited(whole, chunk_at(whole) + at, new)
    reasons = [problem.reason for problem in frame.inspect(MemoryReader(data), data=True).problems]
    if reasons:
        with pytest.raises(FrameError) as caught:
            opened(data).read()
        assert [caught.value.reason] == reasons
    else:
        opened(data).read()


def test_bytes_between_fields_are_kept() -> None:
    items = np.arange(600, dtype="<i8").reshape(20, 30) << 31
    text = b"{'names': ['a'], 'formats': ['<i4'], 'offsets': [0], 'itemsize': 8}"
    data = frame_of(items, chunks=(10, 10), blocks=(5, 5))
    at, more = data.index(b"<i8"), len(text) - 3
    place = struct.unpack_from(">i", data, data.index(b"b2nd") + 5)[0] + 1
    for where, layout in ((place, ">I"), (11, ">i"), (16, ">Q")):
        (length,) = struct.unpack_from(layout, data, where)
        data = edited(data, where, struct.pack(layout, length + more))
    found = opened(data[: at - 4] + struct.pack(">I", len(text)) + text + data[at + 3 :]).read()
    assert found.dtype.names == ("a",)
    assert found.tobytes() == items.tobytes()
