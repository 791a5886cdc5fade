"""Which SQLite this is, and how large its rows may be: key and header are part of them."""

import apsw

from zarrdb.errors import ValueTooLargeError
from zarrdb.keys import printable


def sqlite_version() -> str:
    """The version of the SQLite library that is used."""
    return apsw.sqlite_lib_version()


def record_size(key: str, size: int) -> int:
    """Bytes of the record of a key and a value of `size` bytes in a UTF-8 file."""
    length = len(key.encode("utf-8", "surrogatepass"))
    types = _varint_size(2 * length + 13) + _varint_size(2 * size + 12)
    return 1 + types + length + size


def require_room(connection: apsw.Connection, key: str, size: int) -> None:
    """Raise ValueTooLargeError unless a row can hold the key and a value of `size` bytes."""
    limit = connection.limit(apsw.SQLITE_LIMIT_LENGTH)
    # In UTF-16 a key can take twice its bytes.
    if size + 2 * len(key) + 32 > limit and record_size(key, size) > limit:
        raise ValueTooLargeError(
            f"{printable(key)}: {size:,} bytes and the key are more than this SQLite holds"
            f" in a row ({limit:,} bytes)",
            hint="smaller chunks or shards",
        )


def _varint_size(number: int) -> int:
    return min(9, max(1, -(-number.bit_length() // 7)))
