"""A directory store far away, through any of fsspec's file systems."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

from zarrdb.errors import (
    NotFoundError,
    RangeNotSupportedError,
    RemoteMissingError,
    TrafficLimitError,
)
from zarrdb.keys import Child, Entry, Remark, clamp, is_valid, printable
from zarrdb.location import Location
from zarrdb.sources.junk import junk_part
from zarrdb.sources.names import name_fault
from zarrdb.sources.remarks import RemarkLog
from zarrdb.transport.filesystem import fault, turn
from zarrdb.transport.opening import is_web, open_filesystem
from zarrdb.transport.reader import Traffic
from zarrdb.transport.remote import MAX_CONCURRENCY
from zarrdb.transport.retry import persist

AHEAD: Final = 2 * MAX_CONCURRENCY
"""Requests that are under way or waiting before the first answer is taken."""

_PIECE: Final = 8 << 20
_TIMES: Final = ("LastModified", "last_modified", "updated", "mtime", "modified", "created")

T = TypeVar("T")


class Item(NamedTuple):
    """What a listing has at a key; a directory's key ends with a slash."""

    key: str
    size: int


class FilesystemSource:
    """The files below a directory of a file system as keys and values; for any thread.

    Listings and values are fetched several at a time. Raises RangeErrors.
    """

    kind: str = "remote"

    def __init__(
        self,
        filesystem: Any,
        root: str,
        name: str,
        *,
        keep_junk: bool = False,
        max_bytes: int | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self._max_bytes = max_bytes
        self._filesystem = filesystem
        self._root = root.rstrip("/")
        self._keep_junk = keep_junk
        self._sleep = sleep
        self._pool = ThreadPoolExecutor(MAX_CONCURRENCY, "zarrdb-files")
        self._log = RemarkLog()
        self._newest: float | None = None
        self.traffic = Traffic()

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order of the whole key, past `after`."""
        log = RemarkLog()
        folder = prefix[: prefix.rfind("/") + 1]
        for item in self._walk(folder, after or ""):
            if not item.key.startswith(prefix) or (after is not None and item.key <= after):
                continue
            remark = self._remark(item.key)
            if remark is None:
                yield Entry(*item)
            else:
                log.add(remark)
        if not prefix and after is None:
            log.complete = True
            self._log = log

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        found: dict[str, Child] = {}
        for item in self._listed(prefix):
            name = item.key[len(prefix) :].rstrip("/")
            folder = item.key.endswith("/")
            seen = found.get(name, Child(name, is_key=False, is_prefix=False))
            if self._remark(item.key) is None:
                found[name] = Child(name, seen.is_key or not folder, seen.is_prefix or folder)
        return (found[name] for name in sorted(found))

    def get(self, key: str) -> bytes | None:
        """The whole value, or None if there is no such key."""
        return self._cat(key, None, None)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given; some are fetched ahead."""
        ahead: deque[tuple[str, Future[bytes | None]]] = deque()
        try:
            for key in keys:
                ahead.append((key, self._pool.submit(self.get, key)))
                if len(ahead) == AHEAD:
                    first, value = ahead.popleft()
                    yield first, value.result()
            while ahead:
                first, value = ahead.popleft()
                yield first, value.result()
        finally:
            for _, value in ahead:
                value.cancel()

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        size = self.size(key)
        if size is None:
            return None
        start, end = clamp(size, offset, length)
        return self._cat(key, start, end) if end > start else b""

    def stream(self, key: str, chunk_size: int = _PIECE) -> Iterator[bytes]:
        """The value piece by piece, in flat memory. Raises NotFoundError."""
        size = self.size(key)
        if size is None:
            raise NotFoundError(f"{self.name}: no key `{printable(key)}`")
        for start in range(0, size, chunk_size):
            yield self._cat(key, start, min(size, start + chunk_size)) or b""

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key; nothing is read."""
        if name_fault(key) is not None:
            return None
        try:
            info = self._ask(partial(self._filesystem.info, self._path(key)))
        except RemoteMissingError:
            return None
        size = info.get("size")
        return size if info.get("type") == "file" and isinstance(size, int) else None

    def remarks(self) -> Iterator[Remark]:
        """What does not fit and what was left out; lists everything where that was not done."""
        if not self._log.is_whole:
            deque(self.entries(), 0)
        return iter(self._log)

    def newest(self) -> int | None:
        """The newest modification time that was listed, in seconds since 1970, if any is told."""
        return None if self._newest is None else int(self._newest)

    def close(self) -> None:
        """Give back the threads; a second call does nothing."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _walk(self, folder: str, after: str) -> Iterator[Item]:
        """All files below a folder in order of their keys, without those before `after`."""
        levels = [iter(self._level(self._listed(folder), folder, after))]
        while levels:
            item = next(levels[-1], None)
            if item is None:
                levels.pop()
            elif isinstance(item, Item):
                yield item
            else:
                below, listing = item
                levels.append(iter(self._level(listing.result(), below, after)))

    def _level(
        self, items: list[Item], folder: str, after: str
    ) -> Iterator[Item | tuple[str, "Future[list[Item]]"]]:
        """The files of a folder, and the folders in it with their listings, asked for ahead."""
        if _is_array(items, folder):
            # One listing of all chunks instead of one for each folder of them.
            yield from self._all_below(folder)
            return
        wanted = [item for item in items if item.key > after or after.startswith(item.key)]
        folders = iter([item.key for item in wanted if item.key.endswith("/")])
        ahead: dict[str, Future[list[Item]]] = {}
        for item in wanted:
            for below in islice(folders, AHEAD - len(ahead)):
                ahead[below] = self._pool.submit(self._listed, below)
            if item.key in ahead:
                yield item.key, ahead.pop(item.key)
            else:
                yield item

    def _listed(self, folder: str) -> list[Item]:
        """What is directly in a folder, in code-point order of the keys."""
        try:
            found = self._ask(partial(self._filesystem.ls, self._path(folder), detail=True))
        except (RemoteMissingError, RangeNotSupportedError):
            return []
        return self._items(found, folder)

    def _all_below(self, folder: str) -> list[Item]:
        found = self._ask(partial(self._filesystem.find, self._path(folder), detail=True))
        return self._items(found.values(), folder)

    def _items(self, infos: Iterable[dict[str, Any]], folder: str) -> list[Item]:
        root = self._root.lstrip("/")
        items = []
        for info in infos:
            path = str(info["name"]).lstrip("/")
            key = path[len(root) :].lstrip("/") if path.startswith(root) else path
            if info.get("type") == "directory":
                key = key.rstrip("/") + "/"
            if key.startswith(folder) and key != folder:
                items.append(Item(key, info.get("size") or 0))
                self._note_time(info)
        return sorted(set(items))

    def _note_time(self, info: dict[str, Any]) -> None:
        value = next((info[name] for name in _TIMES if info.get(name) is not None), None)
        if isinstance(value, datetime):
            value = value.timestamp()
        if isinstance(value, (int, float)):
            self._newest = max(self._newest or value, value)

    def _remark(self, key: str) -> Remark | None:
        """Why a file or folder is no part of the store, if it is none."""
        if not self._keep_junk and (junk := junk_part(key)) is not None:
            return Remark("junk", printable(junk), "is left out")
        reason = name_fault(key.rstrip("/"))
        return None if reason is None else Remark("not-a-name", printable(key), reason)

    def _cat(self, key: str, start: int | None, end: int | None) -> bytes | None:
        if name_fault(key) is not None or not is_valid(key):
            return None
        read = partial(self._filesystem.cat_file, self._path(key), start=start, end=end)
        try:
            data: bytes = self._ask(read)
        except (RemoteMissingError, RangeNotSupportedError):
            return None
        self.traffic.received(len(data))
        if self._max_bytes is not None and self.traffic.bytes > self._max_bytes:
            raise TrafficLimitError(
                f"{self.name}: the values are more than {self._max_bytes} bytes",
                hint="raise --max-bytes, or leave it out",
            )
        return data

    def _path(self, key: str) -> str:
        return f"{self._root}/{key}".rstrip("/") if self._root else key.rstrip("/")

    def _ask(self, question: Callable[[], T]) -> T:
        """The answer of the file system, asked again after transient faults."""

        def attempt(retry: bool) -> T:
            self.traffic.request(retry=retry)
            try:
                with turn(self._filesystem):
                    return question()
            except Exception as error:
                raise fault(self.name, error) from error

        with self.traffic:
            return persist(attempt, self._sleep)


def open_folder(
    place: Location,
    storage_options: Mapping[str, Any],
    *,
    keep_junk: bool = False,
    max_bytes: int | None = None,
) -> FilesystemSource | None:
    """The directory at a URL, or None where there is none, or no list of it as on the web.

    Raises UsageError, DependencyError and RangeErrors.
    """
    if is_web(place):
        return None
    filesystem, path = open_filesystem(place, storage_options)
    try:
        found = filesystem.isdir(path)
    except Exception as error:
        raise fault(place.display, error) from error
    if not found:
        return None
    return FilesystemSource(
        filesystem, path, place.display, keep_junk=keep_junk, max_bytes=max_bytes
    )


def _is_array(items: list[Item], folder: str) -> bool:
    """Whether it is the folder of an array, by the names in it."""
    names = {item.key[len(folder) :] for item in items}
    return ".zarray" in names or {"zarr.json", "c/"} <= names
