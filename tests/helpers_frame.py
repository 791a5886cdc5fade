"""Frames for tests, made in memory, and a range reader that counts."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Any, NamedTuple

import blosc2  # type: ignore[import-untyped]
import numpy as np

from zarrdb.frame import ByteRangeNDSource, Frame
from zarrdb.transport import spans as arithmetic

Array = np.ndarray[Any, np.dtype[Any]]


class MemoryReader:
    """Ranges of bytes in memory; counts what a remote reader would ask for."""

    name = "memory.b2nd"
    max_run = 8 << 20

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.requests: list[tuple[int, int]] = []
        self.rounds = 0
        self._lock = Lock()

    @property
    def size(self) -> int:
        return len(self.data)

    known_size = size

    @property
    def fetched(self) -> int:
        return sum(size for _, size in self.requests)

    def read_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        if any(offset < 0 or offset + size > len(self.data) for offset, size in spans):
            raise AssertionError("a span outside of the file")
        self._ask(arithmetic.requests(spans, gap=4096, limit=self.max_run))
        return [self.data[offset : offset + size] for offset, size in spans]

    def head_tail(self, head: int, tail: int) -> tuple[bytes, bytes]:
        at = max(0, len(self.data) - tail)
        self._ask([(0, min(head, len(self.data))), (at, len(self.data) - at)])
        return self.data[:head], self.data[at:]

    def _ask(self, spans: Iterable[tuple[int, int]]) -> None:
        with self._lock:
            self.rounds += 1
            self.requests += spans


class MemorySource(ByteRangeNDSource):
    """A source that says how bytes are read, and nothing else."""

    def __init__(self, data: bytes, **options: Any) -> None:
        self.data = data
        self.asked: list[tuple[int, int]] = []
        super().__init__("memory.b2nd", **options)

    def read_range(self, offset: int, size: int) -> bytes:
        self.asked.append((offset, size))
        return self.data[offset : offset + size]


class BatchingSource(MemorySource):
    """A transport that carries four ranges in a request."""

    max_ranges = 4

    def __init__(self, data: bytes, **options: Any) -> None:
        self.batches: list[int] = []
        self.faults: list[Callable[[], Exception]] = []
        super().__init__(data, **options)

    def read_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        assert len(spans) <= self.max_ranges
        self.batches.append(len(spans))
        if self.faults:
            raise self.faults.pop()()
        return [self.read_range(*span) for span in spans]


def frame_of(array: Any, **options: Any) -> bytes:
    """A frame with these items, as blosc2 writes it; one thread, so that bytes are the same."""
    options["cparams"] = {"nthreads": 1, **options.get("cparams", {})}
    vlmeta = options.pop("vlmeta", {})
    made = blosc2.asarray(np.asarray(array), **options)
    for name, value in vlmeta.items():
        made.schunk.vlmeta[name] = value
    return bytes(made.to_cframe())


def opened(data: bytes) -> Frame:
    return Frame(MemoryReader(data))


def digest(array: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def edited(data: bytes, at: int, new: bytes) -> bytes:
    """The data with other bytes at one place."""
    return data[:at] + new + data[at + len(new) :]


class Kind(NamedTuple):
    """One kind of frame: what is in it and how it was written."""

    name: str
    items: Array
    data: bytes
    written: list[bool] | None = None
    """Which chunks were ever written; None: all."""


def items_of(dtype: Any, shape: tuple[int, ...], seed: int = 0) -> Array:
    """Items of any data type whose bytes differ, with the values that are special to it."""
    kind = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    count = int(np.prod(shape))
    if kind.kind == "U":
        return np.array([f"é{i % 89}λ" for i in range(count)], kind).reshape(shape)
    if kind.kind == "b":
        return (rng.random(shape) < 0.3).astype(kind)
    if kind.kind == "f":
        items = np.cumsum(rng.normal(size=count))
        items[:4] = [np.nan, np.inf, -np.inf, -0.0][:count]
        return items.astype(kind).reshape(shape)
    steps = np.cumsum(rng.integers(0, 3, count * kind.itemsize) == 0).astype(np.uint8)
    return np.frombuffer(steps.tobytes(), kind).reshape(shape)


DTYPES: list[Any] = [
    *("?", "i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8"),
    *("<c8", "<c16", "S7", "<U5", "<M8[ns]", "<M8[D]", "<m8[s]", ">i2", ">i4", ">u8", ">f4"),
    *(">f8", ">c16", ">U3", ">M8[ms]", "S300", "<U200"),
    [("f0", "V5")],
    [("a", "<i4"), ("b", ">f8"), ("c", "S3")],
    [("x", [("p", "<i2"), ("q", ">f4")]), ("v", "<f4", (2, 3))],
]

CODECS = ["BLOSCLZ", "LZ4", "LZ4HC", "ZLIB", "ZSTD"]

FILTERS: dict[str, list[str]] = {
    "none": ["NOFILTER"],
    "shuffle": ["SHUFFLE"],
    "bitshuffle": ["BITSHUFFLE"],
    "delta": ["DELTA"],
    "delta+shuffle": ["DELTA", "SHUFFLE"],
    "shuffle+delta": ["SHUFFLE", "DELTA"],
    "shuffle+bytedelta": ["SHUFFLE", "BYTEDELTA"],
}


def filters(name: str) -> dict[str, Any]:
    """The parameters of blosc2 for one of FILTERS."""
    chosen = [getattr(blosc2.Filter, one) for one in FILTERS[name]]
    return {"filters": chosen, "filters_meta": [0] * len(chosen)}


def special(make: Callable[..., Any], items: Array, **options: Any) -> bytes:
    """A frame that one of blosc2's constructors fills."""
    made = make(items.shape, dtype=items.dtype, **options)
    return bytes(made.to_cframe())


def parameters(name: str, **more: Any) -> dict[str, Any]:
    """Compression with one codec, by its name in blosc2."""
    return {"codec": getattr(blosc2.Codec, name), **more}


def plain_kinds() -> list[Kind]:
    """Data types, partitions, codecs and filters, all written from items that are known."""
    small = {"chunks": (16, 20), "blocks": (8, 10)}
    found = []

    def add(name: str, items: Any, **options: Any) -> None:
        found.append(Kind(name, np.asarray(items), frame_of(items, **options)))

    for i, dtype in enumerate(DTYPES):
        add(f"dtype-{i}-{np.dtype(dtype).kind}", items_of(dtype, (37, 53)), **small)
    for shape, chunks, blocks in PARTITIONS:
        items = items_of("<f8", shape, seed=len(shape))
        add(f"partition-{shape}-{chunks}-{blocks}", items, chunks=chunks, blocks=blocks)
    smooth = np.cumsum(np.random.default_rng(1).integers(0, 50, (120, 160)), axis=1).astype("<i4")
    medium = {"chunks": (50, 80), "blocks": (10, 40)}
    for codec in CODECS:
        add(f"codec-{codec}", smooth, **medium, cparams=parameters(codec))
    for name in FILTERS:
        add(f"filter-{name}", smooth, **medium, cparams=parameters("LZ4", **filters(name)))
    for codec in ("ZSTD", "LZ4", "LZ4HC"):
        options = parameters(codec, use_dict=True, **filters("shuffle"))
        add(f"dictionary-{codec}", smooth, chunks=(50, 160), blocks=(2, 40), cparams=options)
    for mode in blosc2.SplitMode:
        options = parameters("LZ4", splitmode=mode)
        add(f"split-{mode.name}", smooth, **medium, cparams=options)
    add("uncompressed", smooth, **medium, cparams={"clevel": 0})
    noise = np.random.default_rng(2).integers(0, 255, 4000).astype("u1")
    mixed = np.concatenate([noise, np.arange(4000) // 100]).astype("u1")
    options = parameters("LZ4", clevel=1, **filters("none"))
    add("some-uncompressed", mixed, chunks=(1000,), blocks=(250,), cparams=options)
    noise = np.random.default_rng(3).normal(size=(256, 256))
    threads = {"chunks": (256, 256), "blocks": (16, 32), "cparams": {"nthreads": 4}}
    add("blocks-in-any-order", noise, **threads)
    return found


PARTITIONS: list[tuple[tuple[int, ...], tuple[int, ...] | None, tuple[int, ...] | None]] = [
    ((), None, None),
    ((1,), None, None),
    ((1, 1, 1), None, None),
    ((1001,), (100,), (30,)),
    ((11, 13, 17), (4, 5, 6), (2, 3, 4)),
    ((5, 6, 7, 8), (2, 3, 4, 5), (1, 2, 3, 2)),
    ((2, 3, 2, 3, 2, 3, 2, 3), (1, 2, 2, 2, 2, 2, 1, 2), (1, 2, 1, 2, 2, 1, 1, 2)),
    ((1,) * 13 + (2, 2, 3), None, None),
    ((5, 6), (16, 16), (4, 8)),
    ((40, 50), (20, 25), (20, 25)),
    ((40, 50), (40, 50), (40, 50)),
    ((100,), (23,), (7,)),
    ((30,), (10,), (1,)),
    ((40,), (1,), (1,)),
    ((97, 101), (31, 29), (7, 13)),
    ((200, 7), (200, 1), (50, 1)),
    ((7, 200), (1, 200), (1, 64)),
    ((0,), None, None),
    ((0, 5), None, None),
    ((3, 0, 2), None, None),
]
"""Shape, chunks and blocks."""


def special_kinds() -> list[Kind]:
    """Frames whose chunks are runs or were never written."""
    small = {"chunks": (10, 20), "blocks": (5, 10)}
    shape = (35, 45)
    never = blosc2.uninit((64, 64), dtype="<i4", chunks=(16, 16), blocks=(8, 8))
    partly = np.zeros((64, 64), "<i4")
    written = [False] * 16
    for i, j in ((2, 1), (0, 3), (3, 3), (1, 0)):
        part = np.s_[16 * i : 16 * i + 16, 16 * j : 16 * j + 16]
        partly[part] = never[part] = items_of("<i4", (16, 16), seed=i) + 1
        written[4 * i + j] = True
    never[32:48, 32:48] = 0
    written[10] = True
    mixed = np.zeros((60, 40))
    mixed[:10] = mixed[50:] = items_of("<f8", (10, 40))
    mixed[20:30] = np.nan
    mixed[30:40] = 5.5
    full = {"chunks": (200, 300), "blocks": (100, 50)}
    made: list[tuple[str, Array, bytes, list[bool] | None]] = [
        ("zeros", zeros := np.zeros(shape, "<f4"), special(blosc2.zeros, zeros, **small), None),
        ("nans", nans := np.full(shape, np.nan), special(blosc2.nans, nans, **small), None),
        ("nans-f4", nans := nans.astype("<f4"), special(blosc2.nans, nans, **small), None),
        ("never", zeros, special(blosc2.uninit, zeros, **small), [False] * 12),
        ("full", sevens := np.full(shape, 7), _full(sevens, 7, **small), None),
        ("full-bytes", texts := np.full(shape, b"abc"), _full(texts, b"abc", **small), None),
        ("full-one", threes := np.full((200, 300), 3), _full(threes, 3, **full), None),
        ("mixed", mixed, frame_of(mixed, chunks=(10, 40), blocks=(5, 20)), None),
        ("partly", partly, bytes(never.to_cframe()), written),
    ]
    return [Kind(*kind) for kind in made]


def _full(items: Array, value: Any, **options: Any) -> bytes:
    made = blosc2.full(items.shape, value, dtype=items.dtype, **options)
    return bytes(made.to_cframe())


def updated_kinds() -> list[Kind]:
    """Frames that were written over: chunks that moved, holes, another shape."""
    rng = np.random.default_rng(4)
    wide = {"chunks": (20, 50), "blocks": (10, 25), "cparams": parameters("LZ4")}

    grown = np.tile(np.arange(50, dtype="<i4"), (80, 1))
    array = blosc2.asarray(grown, **wide)
    for k in (1, 0, 1):
        noise = rng.integers(-(2**31), 2**31 - 1, (20, 50)).astype("<i4")
        array[20 * k : 20 * k + 20] = grown[20 * k : 20 * k + 20] = noise
    found = [Kind("grown", grown, bytes(array.to_cframe()))]

    shrunk = rng.integers(-(2**31), 2**31 - 1, (80, 50)).astype("<i4")
    array = blosc2.asarray(shrunk, **wide)
    for part, value in ((np.s_[20:40], 3), (np.s_[5:7, 3:9], -1), (np.s_[60:80], 0)):
        array[part] = shrunk[part] = value
    found.append(Kind("shrunk", shrunk, bytes(array.to_cframe())))

    items = items_of("<f8", (30, 40))
    array = blosc2.asarray(items, chunks=(10, 15), blocks=(5, 5))
    array.resize((45, 50))
    resized = np.zeros((45, 50))
    resized[:30, :40] = items
    array[30:, 40:] = resized[30:, 40:] = 9.0
    found.append(Kind("resized", resized, bytes(array.to_cframe())))
    return found
