"""Small stores, and sources to compare others with."""

import json
import os
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from zarrdb.errors import NotFoundError
from zarrdb.keys import Child, Entry, Remark

Store = dict[str, bytes]

NAMES = st.sampled_from(
    ["a", "b", "a-b", "a.b", "A", "0", "1", "10", "c", "é", "e\u0301", "\U0001f600", "x y"]
)
KEYS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


def document(**members: Any) -> bytes:
    """A metadata document."""
    return json.dumps(members).encode()


def group_v3(**members: Any) -> bytes:
    """A `zarr.json` of a group."""
    return document(zarr_format=3, node_type="group", **members)


def array_v3(shape: Iterable[int] = (4,), chunks: Iterable[int] = (2,), **members: Any) -> bytes:
    """A `zarr.json` of an array, int32 unless told otherwise."""
    given = {
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    }
    return document(zarr_format=3, node_type="array", shape=list(shape), **{**given, **members})


def array_v2(shape: Iterable[int] = (4,), chunks: Iterable[int] = (2,), **members: Any) -> bytes:
    """A `.zarray`, int32 unless told otherwise."""
    given = {"dtype": "<i4", "compressor": None, "fill_value": 0, "order": "C", "filters": None}
    return document(zarr_format=2, shape=list(shape), chunks=list(chunks), **{**given, **members})


GROUP_V2 = document(zarr_format=2)


def small_store() -> Store:
    """A group with an array of two chunks."""
    return {
        "zarr.json": group_v3(attributes={"title": "small"}),
        "a/zarr.json": array_v3(),
        "a/c/0": b"\1\0\0\0\2\0\0\0",
        "a/c/1": b"\3\0\0\0\4\0\0\0",
    }


def write_directory(path: Path, store: Mapping[str, bytes]) -> Path:
    """Put values into files."""
    for key, value in store.items():
        file = path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(value)
    path.mkdir(parents=True, exist_ok=True)
    return path


def write_zip(path: Path, members: Iterable[tuple[str, bytes]]) -> Path:
    """Put members into a zip, in the order given, also twice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with zipfile.ZipFile(path, "w") as archive:
            for name, value in members:
                archive.writestr(name, value)
    return path


class MemorySource:
    """Keys and values of a dict, by the plainest means: what other sources are held against."""

    kind: str = "memory"
    name: str = "memory"

    def __init__(self, store: Mapping[str, bytes]) -> None:
        self.store = dict(store)
        self.read: list[str] = []

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        for key in sorted(self.store):
            if key.startswith(prefix) and (after is None or key > after):
                self.read.append(key)
                yield Entry(key, len(self.store[key]))

    def children(self, prefix: str = "") -> Iterator[Child]:
        rests = [key[len(prefix) :] for key in self.store if key.startswith(prefix)]
        for name in sorted({rest.partition("/")[0] for rest in rests}):
            inside = any(rest.startswith(name + "/") for rest in rests)
            yield Child(name, is_key=name in rests, is_prefix=inside)

    def get(self, key: str) -> bytes | None:
        self.read.append(key)
        return self.store.get(key)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        return ((key, self.get(key)) for key in keys)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        value = self.store.get(key)
        if value is None:
            return None
        start = max(0, len(value) + offset) if offset < 0 else offset
        return value[start:] if length is None else value[start : start + length]

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        if key not in self.store:
            raise NotFoundError(key)
        value = self.store[key]
        yield from (value[i : i + chunk_size] for i in range(0, len(value), chunk_size))

    def size(self, key: str) -> int | None:
        return len(self.store[key]) if key in self.store else None

    def remarks(self) -> Iterator[Remark]:
        return iter(())

    def close(self) -> None:
        pass


def has_no_file_below_a_file(keys: Iterable[str]) -> bool:
    """Whether a directory can hold all of the keys."""
    known = set(keys)
    return not any(
        "/".join(parts[:n]) in known
        for parts in (key.split("/") for key in known)
        for n in range(1, len(parts))
    )


def tree_of(path: Path) -> Store:
    """The files below a directory, by what the operating system says."""
    found = {}
    for folder, _, names in os.walk(path):
        for name in names:
            file = Path(folder, name)
            found[file.relative_to(path).as_posix()] = file.read_bytes()
    return found
