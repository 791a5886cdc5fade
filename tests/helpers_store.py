"""Short words for what tests ask of a store, and of the file behind it."""

from pathlib import Path

from zarr.abc.store import ByteRequest, Store
from zarr.core.buffer import Buffer, cpu, default_buffer_prototype
from zarr.core.sync import _collect_aiterator, sync

PROTOTYPE = default_buffer_prototype()


def buffer(data: bytes) -> Buffer:
    """The bytes as zarr hands them to a store."""
    return cpu.Buffer.from_bytes(data)


def put(store: Store, key: str, data: bytes) -> None:
    """Store a value through zarr's own loop."""
    sync(store.set(key, buffer(data)))


def get(store: Store, key: str, byte_range: ByteRequest | None = None) -> bytes | None:
    """A value, or None."""
    value = sync(store.get(key, PROTOTYPE, byte_range))
    return None if value is None else value.to_bytes()


def keys(store: Store) -> list[str]:
    """Every key, sorted."""
    return sorted(sync(_collect_aiterator(store.list())))


def header_modes(path: Path) -> tuple[int, int]:
    """The write and read format of a database file: 1 is a rollback journal, 2 a log."""
    head = path.read_bytes()[:20]
    return head[18], head[19]


def sidecars(path: Path) -> list[str]:
    """The suffixes of the files that lie beside a database file."""
    return sorted(
        each.name.removeprefix(path.name)
        for each in path.parent.iterdir()
        if each.name.startswith(path.name) and each != path
    )
