"""Checksums that codecs put behind a value or before it."""

from typing import Final

CHECKSUMS: Final = frozenset({"crc32", "crc32c", "adler32", "fletcher32"})
"""The codecs, by the names of numcodecs."""

CHECKSUM_SIZE: Final = 4
"""Bytes of each of them."""
