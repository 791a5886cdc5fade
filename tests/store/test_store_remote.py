"""A store at a URL: only what is asked for crosses the network, what is asked together at once."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrdb
from helpers_http import RangeServer, serving
from helpers_store import get, keys, put
from zarrdb import SQLiteStore
from zarrdb.errors import ReadOnlyError, RemoteMissingError, UsageError


@pytest.fixture
def server() -> Iterator[RangeServer]:
    with serving() as server:
        yield server


def served(
    server: RangeServer, tmp_path: Path
) -> tuple[str, "np.ndarray[tuple[int, int], np.dtype[np.int32]]"]:
    data = np.random.default_rng(1).integers(0, 1 << 30, (300, 1000)).astype("i4")
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as store:
        group = zarr.create_group(store)
        array = group.create_array(
            "a", shape=data.shape, chunks=(10, 1000), dtype="i4", compressors=None
        )
        array[:] = data
    return server.put("x.zarrdb", path.read_bytes()), data


def test_arrays_are_read_through_ranges(server: RangeServer, tmp_path: Path) -> None:
    url, data = served(server, tmp_path)
    array = zarrdb.open_array(url, path="a")
    assert np.array_equal(array[20:40], data[20:40])
    assert np.array_equal(array[:], data)
    assert all(request.method == "GET" and request.range for request in server.log)


def test_chunks_of_one_slice_come_together(server: RangeServer, tmp_path: Path) -> None:
    url, data = served(server, tmp_path)
    array = zarrdb.open_array(url, path="a")
    before = len(server.log)
    assert np.array_equal(array[:100], data[:100])
    # Ten chunks of 40 KB that lie side by side.
    assert len(server.log) - before < 6


def test_listings_and_sizes(server: RangeServer, tmp_path: Path) -> None:
    url, _ = served(server, tmp_path)
    store = SQLiteStore(url, read_only=True)
    assert len(keys(store)) == 32
    value = get(store, "a/c/0/0")
    assert value is not None
    assert len(value) == 40_000
    assert get(store, "absent") is None
    copy = pickle.loads(pickle.dumps(store))
    assert copy == store
    assert get(copy, "a/c/0/0") == value
    store.close()
    copy.close()


def test_a_url_is_only_read(server: RangeServer, tmp_path: Path) -> None:
    url, _ = served(server, tmp_path)
    with pytest.raises(UsageError):
        SQLiteStore(url)
    with SQLiteStore(url, read_only=True) as store:
        with pytest.raises(ValueError, match="read-only"):
            put(store, "a", b"")
        with pytest.raises((ReadOnlyError, ValueError)):
            store.with_read_only(False)


def test_a_url_that_leads_nowhere_is_a_missing_file(server: RangeServer) -> None:
    store = SQLiteStore(server.url("absent.zarrdb"), read_only=True)
    with pytest.raises(RemoteMissingError):
        get(store, "a")


def test_secrets_of_a_url_are_not_shown(server: RangeServer) -> None:
    store = SQLiteStore(server.url("x.zarrdb?signature=secret"), read_only=True)
    assert "secret" not in repr(store) + str(store)
