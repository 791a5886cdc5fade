"""What zarr-python passes to a store and takes from it, as bytes, offsets and lengths."""

from collections.abc import Sequence

from zarr.abc.store import (
    ByteRequest,
    OffsetByteRequest,
    RangeByteRequest,
    SuffixByteRequest,
)
from zarr.core.buffer import Buffer, BufferPrototype
from zarr.core.buffer.core import default_buffer_prototype


def as_range(byte_range: ByteRequest | None) -> tuple[int, int | None]:
    """Offset and length; a negative offset counts from the end, no length is all the rest.

    Raises ValueError for anything but zarr's three kinds of requests.
    """
    if byte_range is None:
        return 0, None
    if isinstance(byte_range, RangeByteRequest):
        return byte_range.start, max(0, byte_range.end - byte_range.start)
    if isinstance(byte_range, OffsetByteRequest):
        return byte_range.offset, None
    if isinstance(byte_range, SuffixByteRequest):
        return (-byte_range.suffix, None) if byte_range.suffix else (0, 0)
    raise ValueError(f"Unexpected byte_range, got {byte_range}.")


def as_prefix(path: str) -> str:
    """The prefix of everything below what zarr calls a path or a prefix."""
    path = path.strip("/")
    return f"{path}/" if path else ""


def as_buffer(value: bytes | None, prototype: BufferPrototype | None) -> Buffer | None:
    """The value as zarr wants it."""
    if value is None:
        return None
    return (prototype or default_buffer_prototype()).buffer.from_bytes(value)


def as_bytes(value: Buffer) -> memoryview:
    """The bytes of a buffer, not copied. Raises TypeError for anything else."""
    if not isinstance(value, Buffer):
        raise TypeError(f"SQLiteStore.set(): `value` must be a Buffer instance, not {type(value)}")
    return value.as_numpy_array().data


def as_batch(
    key: str, values: Sequence[bytes | None], prototype: BufferPrototype
) -> list[tuple[int, Buffer | None]]:
    """Parts of one value with their numbers.

    Raises a BaseExceptionGroup with a FileNotFoundError if there is no key.
    """
    if any(value is None for value in values):
        raise BaseExceptionGroup("chunk read failed", [FileNotFoundError(key)])
    return [(index, as_buffer(value, prototype)) for index, value in enumerate(values)]
