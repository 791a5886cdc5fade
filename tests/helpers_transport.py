"""Range readers for tests: over a counting file system, and waits that do not wait."""

import threading
from collections.abc import Mapping
from mmap import mmap
from typing import Any

import fsspec

from zarrdb.transport.filesystem import FilesystemLink
from zarrdb.transport.remote import RemoteReader


class Naps:
    """A sleep that only writes down how long it was to be."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


class CountingFileSystem(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """Files in memory, or mapped into it; every span asked for and every question about a file is written down."""

    protocol = "counting"
    cachable = False

    def __init__(self, files: Mapping[str, bytes | mmap], **options: Any) -> None:
        super().__init__(**options)
        self.files = files
        self.spans: list[tuple[int, int]] = []
        self.questions = 0
        self._count = threading.Lock()

    def info(self, path: str, **options: Any) -> dict[str, Any]:
        with self._count:
            self.questions += 1
        if path not in self.files:
            raise FileNotFoundError(path)
        return {"name": path, "size": len(self.files[path]), "type": "file"}

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **options: Any
    ) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(path)
        data = bytes(self.files[path][start:end])
        with self._count:
            self.spans.append((start or 0, len(data)))
        return data


def counting_reader(data: bytes, **options: Any) -> tuple[RemoteReader, CountingFileSystem]:
    """A reader of the bytes, and the file system that counts what it asks for."""
    filesystem = CountingFileSystem({"file": data})
    return RemoteReader(FilesystemLink(filesystem, "file", "file"), **options), filesystem
