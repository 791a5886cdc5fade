"""A file system like an object store: in memory, without folders and moves, with faults."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFileSystem


class ObjectStore(MemoryFileSystem):  # type: ignore[misc]
    """Reached as `objects://`. `before` is called with each operation and path, and may raise."""

    protocol = "objects"
    cachable = False
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    done: ClassVar[list[tuple[str, str]]] = []
    before: ClassVar[Callable[[str, str], None] | None] = None
    _lock: ClassVar[threading.Lock] = threading.Lock()

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.removeprefix("objects://")))

    def _note(self, operation: str, path: str) -> None:
        with self._lock:
            if ObjectStore.before is not None:
                ObjectStore.before(operation, path)
            self.done.append((operation, path))

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **options: Any) -> None:
        self._note("put", path)
        super().pipe_file(path, value, mode, **options)

    def put_file(self, lpath: str, rpath: str, **options: Any) -> None:
        self._note("put", rpath)
        super().put_file(lpath, rpath, **options)

    def rm_file(self, path: str) -> None:
        self._note("rm", path)
        super()._rm(path)

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **options: Any
    ) -> bytes:
        self._note("get", path)
        return bytes(super().cat_file(path, start, end, **options))

    def mv(self, *_: Any, **__: Any) -> None:
        raise AssertionError("an object store cannot move")


@contextmanager
def objects() -> Iterator[type[ObjectStore]]:
    """An empty object store."""
    fsspec.register_implementation("objects", ObjectStore, clobber=True)
    try:
        yield ObjectStore
    finally:
        ObjectStore.store.clear()
        ObjectStore.pseudo_dirs[:] = [""]
        ObjectStore.done.clear()
        ObjectStore.before = None


def contents(filesystem: Any, root: str) -> dict[str, bytes]:
    """Everything below a place."""
    filesystem.invalidate_cache()
    start = len(root.strip("/")) + 1
    paths = [str(path) for path in filesystem.find(root)]
    return {path.strip("/")[start:]: filesystem.cat_file(path) for path in paths}
