"""`zarrdb.open` and its relatives: a path or URL of a `.zarrdb` in, zarr-python's nodes out."""

import os
from typing import Any

from zarr import Array, Group
from zarr import open as zarr_open
from zarr import open_array as zarr_open_array
from zarr import open_group as zarr_open_group

from zarrdb.store import SQLiteStore

Place = str | os.PathLike[str]


def open_store(
    location: Place, *, read_only: bool = True, storage_options: dict[str, Any] | None = None
) -> SQLiteStore:
    """The store of a `.zarrdb`, or of a zarr-python 2 SQLite store when only reading.

    `storage_options` go to fsspec for a URL, which can only be read.
    """
    return SQLiteStore(location, read_only=read_only, storage_options=storage_options)


def open(
    location: Place,
    *,
    mode: str = "r",
    path: str | None = None,
    storage_options: dict[str, Any] | None = None,
    **keywords: Any,
) -> Array[Any] | Group:
    """Open the array or group at `path` of a `.zarrdb`, as `zarr.open` does.

    `location` is a path, or a URL that can only be read; `path` is the root unless it is
    given. `mode` is zarr's (`r` `r+` `a` `w` `w-`), but `r` unless it is given; all other
    keywords are passed on. Raises FileNotFoundError, and what `SQLiteStore` and `zarr.open`
    raise.
    """
    store = open_store(location, read_only=mode == "r", storage_options=storage_options)
    return zarr_open(store, mode=mode, path=path, **keywords)  # type: ignore[arg-type]


def open_group(
    location: Place,
    *,
    mode: str = "r",
    path: str | None = None,
    storage_options: dict[str, Any] | None = None,
    **keywords: Any,
) -> Group:
    """Open the group at `path` of a `.zarrdb`, as `zarr.open_group` does; see `open`."""
    store = open_store(location, read_only=mode == "r", storage_options=storage_options)
    return zarr_open_group(store, mode=mode, path=path, **keywords)  # type: ignore[arg-type]


def open_array(
    location: Place,
    *,
    mode: str = "r",
    path: str | None = None,
    storage_options: dict[str, Any] | None = None,
    **keywords: Any,
) -> Array[Any]:
    """Open the array at `path` of a `.zarrdb`, as `zarr.open_array` does; see `open`."""
    store = open_store(location, read_only=mode == "r", storage_options=storage_options)
    return zarr_open_array(store, mode=mode, path=path or "", **keywords)
