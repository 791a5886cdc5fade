"""zarrdb: a whole Zarr hierarchy in one SQLite file (SQLiteStore 1.0).

The names below load their modules at first use: `import zarrdb` costs milliseconds
and imports neither zarr nor numpy.
"""

from typing import TYPE_CHECKING

from zarrdb._version import __version__

if TYPE_CHECKING:
    from zarrdb import errors as errors
    from zarrdb import metadata as metadata
    from zarrdb.lint import check as check
    from zarrdb.opening import open as open
    from zarrdb.opening import open_array as open_array
    from zarrdb.opening import open_group as open_group
    from zarrdb.store import SQLiteStore as SQLiteStore
    from zarrdb.transfer.between import copy as copy

_LAZY: dict[str, tuple[str, str | None]] = {
    "SQLiteStore": ("zarrdb.store", "SQLiteStore"),
    "check": ("zarrdb.lint", "check"),
    "copy": ("zarrdb.transfer.between", "copy"),
    "errors": ("zarrdb.errors", None),
    "metadata": ("zarrdb.metadata", None),
    "open": ("zarrdb.opening", "open"),
    "open_array": ("zarrdb.opening", "open_array"),
    "open_group": ("zarrdb.opening", "open_group"),
}

__all__ = [
    "SQLiteStore",
    "__version__",
    "check",
    "copy",
    "errors",
    "metadata",
    "open",
    "open_array",
    "open_group",
]


def __getattr__(name: str) -> object:
    """Load a public name from the module that defines it (PEP 562)."""
    from importlib import import_module

    try:
        module, attribute = _LAZY[name]
    except KeyError:
        raise AttributeError(f"module 'zarrdb' has no attribute {name!r}") from None
    loaded = import_module(module)
    value: object = loaded if attribute is None else getattr(loaded, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
