"""The xarray engine `zarrdb`: `xarray.open_dataset("climate.zarrdb")` and its relatives."""

import inspect
import os
from collections.abc import Callable
from typing import Any, ClassVar

from xarray.backends import BackendEntrypoint
from xarray.backends.zarr import ZarrBackendEntrypoint

from zarrdb.opening import open_store
from zarrdb.spec import APPLICATION_ID, EXTENSION

_ZARR_ENGINE = ZarrBackendEntrypoint()


class ZarrdbBackendEntrypoint(BackendEntrypoint):
    """Datasets, groups and trees of a `.zarrdb`, local or by URL, read by xarray's zarr engine.

    Takes the keywords of that engine, `group` and `storage_options` among them. Consolidated
    metadata is not used unless `consolidated=True`: in one file the documents themselves are
    as quick to read, and never stale.
    """

    description: ClassVar[str] = "Open .zarrdb files: a Zarr hierarchy in one SQLite file"
    supports_groups: ClassVar[bool] = True
    open_dataset_parameters: ClassVar[tuple[str, ...] | None] = tuple(
        name
        for name in inspect.signature(_ZARR_ENGINE.open_dataset).parameters
        if name not in ("mode", "store", "engine")
    )

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether it is called `.zarrdb` or has the application id; never a directory."""
        if not isinstance(filename_or_obj, str | os.PathLike):
            return False
        path = os.fspath(filename_or_obj)
        if "://" in path:
            return path.split("?")[0].endswith(EXTENSION)
        if not os.path.isfile(path):
            return False
        return path.endswith(EXTENSION) or _application_id(path) == APPLICATION_ID

    def open_dataset(self, filename_or_obj: Any, **keywords: Any) -> Any:
        """One group as a Dataset."""
        return _read(_ZARR_ENGINE.open_dataset, filename_or_obj, **keywords)

    def open_datatree(self, filename_or_obj: Any, **keywords: Any) -> Any:
        """All groups as a DataTree."""
        return _read(_ZARR_ENGINE.open_datatree, filename_or_obj, **keywords)

    def open_groups_as_dict(self, filename_or_obj: Any, **keywords: Any) -> Any:
        """All groups as Datasets, by path."""
        return _read(_ZARR_ENGINE.open_groups_as_dict, filename_or_obj, **keywords)


def _read(
    read: Callable[..., Any],
    location: Any,
    *,
    storage_options: dict[str, Any] | None = None,
    consolidated: bool | None = None,
    **keywords: Any,
) -> Any:
    store = open_store(location, storage_options=storage_options)
    return read(store, consolidated=bool(consolidated), **keywords)


def _application_id(path: str) -> int:
    from zarrdb.db.filebytes import FileBytes

    with FileBytes(path) as data:
        return int.from_bytes(data.read(68, 4), "big")
