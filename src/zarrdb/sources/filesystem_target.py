"""A store written as a directory far away, through any of fsspec's file systems."""

import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Final

from zarrdb.errors import TargetError, TargetExistsError, ZarrdbError
from zarrdb.keys import is_document, printable
from zarrdb.sources.names import name_fault
from zarrdb.sources.target import wrong_size
from zarrdb.transport.filesystem import fault, moves_cheaply
from zarrdb.transport.retry import persist

UPLOADS: Final = 16
"""Requests at once: 656 small values with 20 ms each take 1.8 s by eight, 1.0 by sixteen."""
AHEAD_BYTES: Final = 64 << 20
"""Bytes of the values that are on their way, at most."""

_WHOLE: Final = 16 << 20
"""Up to so many bytes a value is sent as one request; longer ones go piece by piece."""
_NAMES_SHOWN: Final = 3

_log = logging.getLogger("zarrdb")


class FilesystemTarget:
    """A directory store being written through a file system; for one thread.

    Where moving is cheap it is written under another name and takes its own at the end. On an
    object store every value has its final name at once. Then the documents must come last, a
    node's after those below it: each depth of them is complete before the next one begins, so
    that what is half written does not open. What goes wrong takes the documents back.
    Raises TargetExistsError, TargetError.
    """

    def __init__(
        self,
        filesystem: Any,
        root: str,
        name: str,
        *,
        replace: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self._filesystem = filesystem
        self._final = root.rstrip("/")
        self._moves = moves_cheaply(filesystem)
        self._root = f"{self._final}.{os.getpid()}-{os.urandom(4).hex()}.tmp"
        if not self._moves:
            self._root = self._final
        self._replace = replace
        self._sleep = sleep
        self._old = require_free(filesystem, self._final, name, replace=replace)
        self._pool = ThreadPoolExecutor(UPLOADS, "zarrdb-upload")
        self._under_way: deque[tuple[Future[None], int]] = deque()
        self._bytes = 0
        self._depth: int | None = None
        self._values = 0
        self._documents: list[str] = []
        self._committed = False

    def write(self, key: str, size: int, pieces: Iterable[bytes]) -> None:
        """Send a value, or have it sent. Raises TargetError for a key that no file can have."""
        reason = name_fault(key)
        if reason is not None:
            raise TargetError(f"{self.name}: the key {printable(key)} {reason}")
        if is_document(key):
            self._enter(key.count("/"))
            self._documents.append(key)
        else:
            self._values += 1
        path = f"{self._root}/{key}"
        if size > _WHOLE:
            self._stream(key, path, size, pieces)
            return
        data = b"".join(pieces)
        if len(data) != size:
            raise wrong_size(self.name, key)
        while len(self._under_way) >= 2 * UPLOADS or self._bytes > AHEAD_BYTES:
            self._settle_one()
        self._bytes += size
        put = partial(self._filesystem.pipe_file, path, data)
        self._under_way.append((self._pool.submit(self._ask, path, put), size))

    def commit(self) -> None:
        """Wait for all of it; where it has another name, it gets its own."""
        self._settle()
        if self._moves:
            self._move()
        self._committed = True

    def __enter__(self) -> "FilesystemTarget":
        if self._old and not self._moves:
            # What is half removed must not open either.
            for key in sorted(filter(is_document, self._old), key=lambda key: key.count("/")):
                self._ask(key, partial(self._filesystem.rm_file, f"{self._final}/{key}"))
            self._ask("", partial(self._filesystem.rm, self._final, recursive=True))
        return self

    def __exit__(self, *details: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        if self._committed:
            return
        if self._moves:
            with suppress(Exception):
                self._filesystem.rm(self._root, recursive=True)
            return
        left = self._take_back()
        if not left:
            return
        error = details[1]
        if isinstance(error, ZarrdbError):
            error.message += f"; {left}"
        else:
            _log.warning("%s: %s", self.name, left)

    def _enter(self, depth: int) -> None:
        """Have everything before documents of another depth in place."""
        if depth != self._depth:
            self._settle()
            self._depth = depth

    def _settle(self) -> None:
        while self._under_way:
            self._settle_one()

    def _settle_one(self) -> None:
        future, size = self._under_way.popleft()
        self._bytes -= size
        future.result()

    def _stream(self, key: str, path: str, size: int, pieces: Iterable[bytes]) -> None:
        """Send a long value piece by piece; none of it is there unless all of it is."""
        make_folder(self._filesystem, path)
        seen = 0
        try:
            file = self._filesystem.open(path, "wb")
        except Exception as error:
            raise _target_error(self.name, error) from error
        try:
            for piece in pieces:
                seen += len(piece)
                try:
                    file.write(piece)
                except Exception as error:
                    raise _target_error(self.name, error) from error
            if seen != size:
                raise wrong_size(self.name, key)
        except BaseException:
            with suppress(Exception):
                file.discard()
            # Closing it, as its destructor does, would have it appear.
            with suppress(AttributeError):
                file.closed = True
            with suppress(Exception):
                self._filesystem.rm_file(path)
            raise
        try:
            file.close()
        except Exception as error:
            raise _target_error(self.name, error) from error

    def _ask(self, path: str, action: Callable[[], object]) -> None:
        """Have the file system do something, again after transient faults."""

        def attempt(_retry: bool) -> None:
            try:
                try:
                    action()
                except FileNotFoundError:
                    make_folder(self._filesystem, path)
                    action()
            except Exception as error:
                raise fault(self.name, error, "written") from error

        try:
            persist(attempt, self._sleep)
        except OSError as error:
            raise _target_error(self.name, error) from error

    def _move(self) -> None:
        """Take the final name, over what stands there."""
        filesystem, aside = self._filesystem, f"{self._root[:-4]}.old"
        make_folder(filesystem, f"{self._root}/")
        try:
            there = filesystem.exists(self._final)
            if there:
                filesystem.mv(self._final, aside, recursive=True)
            try:
                filesystem.mv(self._root, self._final, recursive=True)
            except Exception:
                if there:
                    filesystem.mv(aside, self._final, recursive=True)
                raise
        except Exception as error:
            raise _target_error(self.name, error) from error
        if there:
            with suppress(Exception):
                filesystem.rm(aside, recursive=True)

    def _take_back(self) -> str:
        """Remove the documents, the root's first; a sentence about what is left."""
        kept = []
        for key in reversed(self._documents):
            path = f"{self._root}/{key}"
            try:
                self._filesystem.rm_file(path)
            except FileNotFoundError:
                continue
            except Exception:
                kept.append(key)
        if kept:
            names = ", ".join(map(printable, kept[:_NAMES_SHOWN]))
            more = ", …" if len(kept) > _NAMES_SHOWN else ""
            return f"{len(kept):,} documents could not be taken back: {names}{more}"
        if not self._values:
            return ""
        return f"up to {self._values:,} values are left there, without any document"


def make_folder(filesystem: Any, path: str) -> None:
    """Make the folder that a file lies in, as far as there are folders; never a bucket."""
    folder = path.rpartition("/")[0]
    start = folder[: 1 + folder[1:].find("/")] if "/" in folder[1:] else folder
    with suppress(Exception):
        if moves_cheaply(filesystem) or (start != folder and filesystem.exists(start)):
            filesystem.makedirs(folder, exist_ok=True)


def require_free(filesystem: Any, root: str, name: str, *, replace: bool) -> list[str]:
    """The keys of what stands at a place, which must be nothing unless it is to be replaced.

    Raises TargetExistsError, TargetError.
    """
    try:
        filesystem.invalidate_cache()
        if filesystem.isfile(root):
            raise TargetExistsError(f"{name}: exists, and is no directory")
        found = filesystem.find(root) if replace else filesystem.ls(root, detail=False)
    except FileNotFoundError:
        return []
    except ZarrdbError:
        raise
    except Exception as error:
        raise _target_error(name, error) from error
    paths = [path for path in map(str, found) if path.strip("/") != root.strip("/")]
    if paths and not replace:
        raise TargetExistsError(
            f"{name}: exists, and is not empty", hint="--overwrite replaces a store"
        )
    start = len(root.strip("/")) + 1
    return [path.strip("/")[start:] for path in paths]


def _target_error(name: str, error: Exception) -> TargetError:
    message = error.message if isinstance(error, ZarrdbError) else ""
    return TargetError(message or fault(name, error, "written").message)
