"""Sources under blosc2's Proxy, and transports that refuse to serve ranges."""

import asyncio
import pickle
from collections.abc import Callable
from typing import Any

import blosc2  # type: ignore[import-untyped]
import numpy as np
import pytest

from helpers_frame import (
    BatchingSource,
    Kind,
    MemorySource,
    frame_of,
    parameters,
    plain_kinds,
    special_kinds,
    updated_kinds,
)
from zarrdb.errors import PartsMissingError, RangeNotSupportedError
from zarrdb.frame import NotRanged, PartsMissing, policy

KINDS = [*plain_kinds(), *special_kinds(), *updated_kinds()]
ITEMS = np.cumsum(np.random.default_rng(1).integers(0, 99, (256, 512)), axis=1)
BLOCKS = frame_of(ITEMS, chunks=(128, 256), blocks=(16, 32), cparams=parameters("LZ4"))
"""Four chunks of 64 blocks."""


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture
def low_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of any size are worth taking apart."""
    for name in ("MIN_CHUNK", "ROUND_TRIP", "RANGE"):
        monkeypatch.setattr(policy, name, 0)


def same(found: Any, expected: Any) -> bool:
    return bool(np.asarray(found).tobytes() == expected.tobytes())


def test_a_proxy_reads_the_whole_array(kind: Kind) -> None:
    if kind.items.size:
        proxy = blosc2.Proxy(MemorySource(kind.data))
        assert same(proxy[...], kind.items)


@pytest.mark.usefixtures("low_thresholds")
def test_a_proxy_reads_slices_by_blocks(kind: Kind) -> None:
    if kind.items.size and kind.items.ndim:
        proxy = blosc2.Proxy(MemorySource(kind.data))
        for third in range(3):
            key = tuple(
                slice(third * n // 3, max(1, (third + 1) * n // 3)) for n in kind.items.shape
            )
            assert same(proxy[key], kind.items[key])


@pytest.mark.usefixtures("low_thresholds")
@pytest.mark.parametrize("source_class", [MemorySource, BatchingSource])
def test_a_proxy_takes_chunks_apart(source_class: type[MemorySource]) -> None:
    source = source_class(BLOCKS)
    proxy = blosc2.Proxy(source)
    assert same(proxy[100:140, 200:300], ITEMS[100:140, 200:300])
    assert sum(size for _, size in source.asked) < len(BLOCKS) // 2 + 8192
    assert proxy.traffic is source.traffic


def test_a_proxy_fetches_asynchronously() -> None:
    proxy = blosc2.Proxy(MemorySource(BLOCKS))
    asyncio.run(proxy.afetch(np.s_[:, :]))
    assert same(proxy[...], ITEMS)


def test_the_stamp_keeps_a_cache_from_another_frame(tmp_path: Any) -> None:
    class Stamped(MemorySource):
        def __init__(self, data: bytes, stamp: str) -> None:
            self.stamp = stamp
            super().__init__(data)

    path = str(tmp_path / "cache.b2nd")
    blosc2.Proxy(Stamped(BLOCKS, "a"), urlpath=path).fetch(np.s_[:1, :1])
    again = Stamped(BLOCKS, "a")
    assert same(blosc2.Proxy(again, urlpath=path)[:1, :1], ITEMS[:1, :1])
    assert again.asked == [(0, 8192)]
    with pytest.raises(ValueError, match="different remote bytes"):
        blosc2.Proxy(Stamped(BLOCKS, "b"), urlpath=path)


# Refusals


class Streamed(MemorySource):
    """Refuses ranges after a while, but can still give whole chunks another way."""

    def __init__(self, data: bytes, refusal: Callable[[], Exception]) -> None:
        self.refuse = False
        self.refusal = refusal
        self.whole = 0
        super().__init__(data)

    def read_range(self, offset: int, size: int) -> bytes:
        if self.refuse:
            raise self.refusal()
        return super().read_range(offset, size)

    def get_chunk(self, nchunk: int) -> bytes:
        self.whole += 1
        return MemorySource(self.data).get_chunk(nchunk)


@pytest.mark.usefixtures("low_thresholds")
@pytest.mark.parametrize(
    "refusal", [lambda: NotRanged("the file", 200), lambda: PartsMissing("parts", 503)]
)
@pytest.mark.parametrize("read", [blosc2.Proxy, lambda source: source], ids=["proxy", "ours"])
def test_chunks_come_whole_where_ranges_are_refused(
    read: Callable[[Any], Any], refusal: Callable[[], Exception]
) -> None:
    source = Streamed(BLOCKS, refusal)
    source.written_chunks()
    source.refuse = True
    key = np.s_[100:140, 10:20]
    assert same(read(source)[key], ITEMS[key])
    assert source.whole == 2


def test_refusals_that_nothing_helps_against_get_out() -> None:
    source = Streamed(BLOCKS, lambda: NotRanged("the file", 200))
    source.refuse = True
    with pytest.raises(NotRanged):
        source.written_chunks()


@pytest.mark.parametrize(
    ("status", "transient"),
    [(None, False), (200, False), (404, False), (429, True), (500, True), (503, True)],
)
def test_transient_is_what_may_be_answered_otherwise(status: int | None, transient: bool) -> None:
    for refusal in (NotRanged, PartsMissing):
        error = refusal("message", status)
        assert (error.status, error.transient) == (status, transient)
        assert isinstance(error, ValueError)
        assert isinstance(error, RangeNotSupportedError)
        assert str(error) == "message"


def test_refusals_are_of_blosc2_too_and_survive_pickling() -> None:
    from blosc2.proxy_source import (  # type: ignore[import-untyped]
        NotRanged as TheirNotRanged,
    )
    from blosc2.proxy_source import PartsMissing as TheirPartsMissing

    assert isinstance(NotRanged("x"), TheirNotRanged)
    assert isinstance(PartsMissing("x"), TheirPartsMissing)
    assert not isinstance(NotRanged("x"), TheirPartsMissing)
    assert isinstance(PartsMissing("x"), NotRanged)
    assert isinstance(PartsMissing("x"), PartsMissingError)
    again = pickle.loads(pickle.dumps(PartsMissing("x", 429)))
    assert (type(again).__name__, again.message, again.status) == ("PartsMissing", "x", 429)
    assert again.transient


def test_missing_parts_are_asked_for_one_by_one() -> None:
    source = BatchingSource(BLOCKS)
    source.written_chunks()
    source.batches.clear()
    source.faults.append(lambda: PartsMissing("one of them", 206))
    assert all(layout is not None for layout in source.chunk_layouts([1, 2, 3]))
    assert source.batches == [3, 1, 1, 1]
