"""How large pages and rows may be: of a row SQLite limits the whole record, header included."""

from typing import Final

from zarrdb.errors import UsageError, ValueTooLargeError
from zarrdb.keys import printable

PAGE_SIZES: Final = tuple(1 << power for power in range(9, 17))


def require_page_size(page_size: int) -> None:
    """Raise UsageError for a number of bytes that a page cannot have."""
    if page_size not in PAGE_SIZES:
        raise UsageError(
            f"page size {page_size}: not possible", hint="a power of two from 512 to 65536"
        )


def record_size(key: str, size: int, *, codec: str = "utf-8") -> int:
    """Bytes of a row's record (a header of types and lengths, the key, a value of `size`)."""
    length = len(key.encode(codec, "surrogatepass"))
    types = _varint_size(2 * length + 13) + _varint_size(2 * size + 12)
    return 1 + types + length + size


def require_room(key: str, size: int, limit: int, *, codec: str = "utf-8") -> None:
    """Raise ValueTooLargeError unless a record of `limit` bytes can hold key and value."""
    if record_size(key, size, codec=codec) > limit:
        raise ValueTooLargeError(
            f"{printable(key)}: {size:,} bytes and the key are more than this SQLite holds"
            f" in a row ({limit:,} bytes)",
            hint="smaller chunks or shards",
        )


def _varint_size(number: int) -> int:
    return min(9, max(1, -(-number.bit_length() // 7)))
