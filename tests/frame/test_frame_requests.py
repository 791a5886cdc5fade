"""What reading costs: requests, rounds and bytes, on small models of the files measured.

The large model has chunks that are worth taking apart, the small one chunks that are not.
Thresholds and chunks are scaled by 16, so the counts are those of files of 216 MB.
"""

from typing import Any

import blosc2  # type: ignore[import-untyped]
import numpy as np
import pytest

from helpers_frame import MemoryReader, frame_of, parameters
from helpers_transport import CountingFileSystem, counting_reader
from zarrdb import frame
from zarrdb.frame import adapter, policy
from zarrdb.transport import spans
from zarrdb.transport.filesystem import FilesystemLink
from zarrdb.transport.remote import RemoteReader

SCALE = 16
ITEMS = np.cumsum(np.random.default_rng(1).normal(size=(1280, 1536)), axis=1)
LARGE = frame_of(ITEMS, chunks=(256, 256), blocks=(16, 32), cparams=parameters("LZ4"))
SMALL = frame_of(ITEMS, chunks=(32, 32), blocks=(8, 16), cparams=parameters("LZ4"))
"""30 chunks of 480 KB and 1,920 of 7 KB."""
TAIL = 64 << 10


@pytest.fixture
def scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in (
        (policy, "MIN_CHUNK"),
        (policy, "ROUND_TRIP"),
        (policy, "RANGE"),
        (adapter, "MAX_RUN"),
        (spans, "MAX_REQUEST"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name) // SCALE)
    monkeypatch.setattr(MemoryReader, "max_run", MemoryReader.max_run // SCALE)


CASES: list[tuple[str, bytes, Any, int, int]] = [
    ("large-one-item", LARGE, np.s_[750, 500], 4, 3),
    ("large-corner", LARGE, np.s_[:25, :25], 5, 3),
    ("large-four-corners", LARGE, np.s_[244:269, 244:269], 10, 3),
    ("large-row", LARGE, np.s_[:256], 8, 2),
    ("small-one-item", SMALL, np.s_[750, 500], 3, 2),
    ("small-corner", SMALL, np.s_[:25, :25], 3, 2),
    ("small-four-corners", SMALL, np.s_[20:45, 20:45], 6, 2),
    ("small-row", SMALL, np.s_[:32], 3, 2),
]


@pytest.mark.usefixtures("scaled")
@pytest.mark.parametrize(
    ("name", "data", "key", "requests", "rounds"), CASES, ids=[case[0] for case in CASES]
)
def test_requests_and_rounds_of_one_read(
    name: str, data: bytes, key: Any, requests: int, rounds: int
) -> None:
    reader = MemoryReader(data)
    found = frame.open(reader)
    assert (len(reader.requests), reader.rounds) == (2, 1)
    assert (found[key] == ITEMS[key]).all()
    assert len(reader.requests) <= requests
    assert reader.rounds <= rounds


@pytest.mark.usefixtures("scaled")
@pytest.mark.parametrize(("data", "requests"), [(LARGE, 32), (SMALL, 29)], ids=["large", "small"])
def test_requests_of_the_whole_array(data: bytes, requests: int) -> None:
    reader = MemoryReader(data)
    # The small model has more bytes a chunk than its file: 27 runs, as there.
    reader.max_run = max(reader.max_run, -(-len(data) // 27) + 1)
    assert (frame.open(reader).read() == ITEMS).all()
    assert len(reader.requests) <= requests


WIDE = ITEMS[:512, :1024]
MIDDLE = frame_of(WIDE, chunks=(512, 512), blocks=(32, 64), cparams=parameters("LZ4"))
"""Two chunks of 1.8 MB: those that both readers take apart, by their own thresholds."""


@pytest.mark.parametrize(
    "key",
    [
        *(np.s_[500, 500], np.s_[:25, :25], np.s_[::300, ::200], np.s_[:40], np.s_[:, 700]),
        *(np.s_[:, 100:180], np.s_[40:44, :], np.s_[100:300, 300:700], np.s_[:]),
    ],
    ids=str,
)
def test_never_more_bytes_than_blosc2_and_one_tail(key: Any) -> None:
    ours, theirs = CountingFileSystem({"f": MIDDLE}), CountingFileSystem({"f": MIDDLE})
    reader = RemoteReader(FilesystemLink(ours, "f", "f"), gap=adapter.BLOCK_GAP)
    assert (frame.open(reader)[key] == WIDE[key]).all()
    reader.close()
    assert (blosc2.Proxy(source_of_blosc2(theirs))[key] == WIDE[key]).all()
    spent, allowed = (sum(size for _, size in fs.spans) for fs in (ours, theirs))
    assert spent <= allowed + TAIL
    assert ours.questions == 0


def source_of_blosc2(filesystem: CountingFileSystem) -> Any:
    """blosc2's own source over a file system."""

    class Source(blosc2.ByteRangeNDSource):  # type: ignore[misc]
        def read_range(self, offset: int, size: int) -> bytes:
            return filesystem.cat_file("f", start=offset, end=offset + size)

    return Source("f", max_concurrency=1)


def test_what_is_in_head_and_tail_is_not_asked_for_again() -> None:
    items = np.arange(1000)
    reader = MemoryReader(frame_of(items, chunks=(100,), blocks=(50,), vlmeta={"a": 1}))
    found = frame.open(reader)
    assert found.attributes == {"a": 1}
    assert found.read_chunk(9).tolist() == items[900:].tolist()
    assert reader.rounds == 1


def test_runs_cost_no_request() -> None:
    made = blosc2.uninit((1000, 1000), dtype="f8", chunks=(100, 100), blocks=(20, 20))
    made[:100, :100] = np.random.default_rng(2).normal(size=(100, 100))
    reader = MemoryReader(bytes(made.to_cframe()))
    found = frame.open(reader)
    before = reader.rounds
    assert found[500:, 500:].sum() == 0
    assert reader.rounds == before


def test_layouts_are_read_once() -> None:
    reader = MemoryReader(MIDDLE)
    found = frame.open(reader)
    _ = found[300, 900]
    before = reader.rounds
    _ = found[400, 900]
    assert reader.rounds == before + 1


def test_a_file_whose_size_costs_a_question_is_not_asked() -> None:
    reader, filesystem = counting_reader(MIDDLE)
    assert frame.open(reader)[300, 900] == WIDE[300, 900]
    assert filesystem.questions == 0
    reader.close()
    reader, filesystem = counting_reader(MIDDLE + b"more")
    assert frame.open(reader)[300, 900] == WIDE[300, 900]
    assert filesystem.questions == 1
    reader.close()
