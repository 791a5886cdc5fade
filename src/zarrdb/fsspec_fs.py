"""A `.zarrdb` file as an fsspec filesystem, for reading: `zarrdb://group/key::file.zarrdb`."""

import os
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from fsspec import AbstractFileSystem
from fsspec.spec import AbstractBufferedFile

from zarrdb.db.shared_source import SharedSource
from zarrdb.errors import ReadOnlyError, UsageError
from zarrdb.keys import KeySource, as_prefix
from zarrdb.location import is_url, parse


class ZarrdbFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """A `.zarrdb` seen as files: keys are files, prefixes are directories. It only reads.

    A key that is a prefix of others too is a file.

    Parameters
    ----------
    fo
        Path or URL of the `.zarrdb`; a local SQLite store of zarr-python 2 is read too.
    target_protocol, target_options
        Protocol and options of the filesystem that it lies on, as fsspec passes them.
    """

    protocol: ClassVar[str] = "zarrdb"
    root_marker: ClassVar[str] = ""
    cachable: ClassVar[bool] = False

    def __init__(
        self,
        fo: str | os.PathLike[str] = "",
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not fo:
            raise UsageError(
                "zarrdb:// names no file", hint="write `zarrdb://group/key::file.zarrdb`"
            )
        self.fo = os.fspath(fo)
        self._source: KeySource = _open(self.fo, target_protocol, target_options or {})
        self._finalizer = weakref.finalize(self, self._source.close)

    def close(self) -> None:
        """Give the file back."""
        self._finalizer()

    def ukey(self, path: str) -> str:
        """What stands for the bytes of a key until the file changes."""
        return f"{self.fo}::{self._strip_protocol(path)}"

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        stripped = super()._strip_protocol(path)
        return stripped.lstrip("/") if isinstance(stripped, str) else stripped

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Name, size in bytes and type. Raises FileNotFoundError."""
        path = self._strip_protocol(path)
        size = self._source.size(path) if path else None
        if size is not None:
            return _file(path, size)
        if not path or next(iter(self._source.entries(as_prefix(path))), None) is not None:
            return _directory(path)
        raise FileNotFoundError(path)

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """What lies directly below a path; of a key, the key itself."""
        path = self._strip_protocol(path)
        found = list(self._below(path))
        if not found and path:
            found = [self.info(path)]
        return found if detail else [each["name"] for each in found]

    def _below(self, path: str) -> Iterator[dict[str, Any]]:
        prefix = as_prefix(path)
        for child in self._source.children(prefix):
            name = prefix + child.name
            if child.is_key and name:
                yield _file(name, self._source.size(name) or 0)
            elif child.is_prefix:
                yield _directory(name)

    def find(  # the names are fsspec's
        self,
        path: str,
        maxdepth: int | None = None,
        withdirs: bool = False,
        detail: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Every key below a path, in one pass over the keys."""
        path = self._strip_protocol(path)
        if maxdepth is not None or withdirs:
            return super().find(path, maxdepth=maxdepth, withdirs=withdirs, detail=detail)
        found = {
            entry.key: _file(entry.key, entry.size)
            for entry in self._source.entries(as_prefix(path))
            if entry.key
        }
        if not found and path and self._source.size(path) is not None:
            found = {path: self.info(path)}
        return found if detail else list(found)

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        """A value or a part of it; negative places count from its end."""
        path = self._strip_protocol(path)
        size = self._source.size(path)
        if size is None:
            raise FileNotFoundError(path)
        first, last, _step = slice(start, end).indices(size)
        return self._source.get_range(path, first, max(0, last - first)) or b""

    def cat_ranges(
        self,
        paths: Sequence[str],
        starts: Any,
        ends: Any,
        max_gap: int | None = None,
        on_error: str = "return",
        **_: Any,
    ) -> list[bytes | Exception]:
        """Parts of several values, in the order asked."""
        count = len(paths)
        starts = starts if isinstance(starts, Sequence) else [starts] * count
        ends = ends if isinstance(ends, Sequence) else [ends] * count
        parts: list[bytes | Exception] = []
        for path, start, end in zip(paths, starts, ends, strict=True):
            try:
                parts.append(self.cat_file(path, start, end))
            except FileNotFoundError as error:
                if on_error == "raise":
                    raise
                parts.append(error)
        return parts

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_options: dict[str, Any] | None = None,
        **_: Any,
    ) -> "_Value":
        if mode != "rb":
            raise ReadOnlyError(
                f"{self.fo}: this filesystem only reads",
                hint="zarrdb.SQLiteStore writes, `zarrdb import` makes new files",
            )
        # Parts are cheap here: no read-ahead, nothing kept.
        return _Value(self, path, mode, cache_type="none", size=self.info(path)["size"])


def _open(fo: str, protocol: str | None, options: dict[str, Any]) -> KeySource:
    if protocol not in (None, "file", "local") and not is_url(fo):
        fo = f"{protocol}://{fo}"
    place = parse(fo)
    if not place.is_url:
        return SharedSource(place.path)
    from zarrdb.db.remote import open_remote
    from zarrdb.transport.opening import open_reader

    return open_remote(open_reader(place, storage_options=options))


class _Value(AbstractBufferedFile):  # type: ignore[misc]
    def _fetch_range(self, start: int, end: int) -> bytes:
        part: bytes = self.fs.cat_file(self.path, start, end)
        return part


def _file(name: str, size: int) -> dict[str, Any]:
    return {"name": name, "size": size, "type": "file"}


def _directory(name: str) -> dict[str, Any]:
    return {"name": name, "size": 0, "type": "directory"}
