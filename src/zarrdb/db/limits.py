"""How large a row may be: SQLite limits the whole record, key and header included."""

from zarrdb.errors import ValueTooLargeError
from zarrdb.keys import printable


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
