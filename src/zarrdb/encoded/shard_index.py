"""The index of a shard: where each of its inner chunks lies.

Zarr v3, codec `sharding_indexed`: for each inner chunk, in C order, an offset and a length as
64-bit integers, nearly always little-endian, both 2**64 - 1 for a chunk that is not stored;
then, usually, a CRC-32C of that.
"""

import struct
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

ENTRY: Final = 16
CHECKSUM: Final = 4
_ABSENT: Final = 0xFFFF_FFFF_FFFF_FFFF


class Inner(NamedTuple):
    """An inner chunk that is stored: its number in C order, and its bytes in the shard."""

    number: int
    offset: int
    size: int

    @property
    def end(self) -> int:
        """The offset just past it."""
        return self.offset + self.size


class Fault(NamedTuple):
    """What is wrong with an index: `checksum`, `half-absent`, `outside` or `overlap`."""

    kind: str
    message: str


def index_size(chunks: int, *, checksum: bool) -> int:
    """Bytes of the index of a shard of so many inner chunks."""
    return chunks * ENTRY + (CHECKSUM if checksum else 0)


def entries(index: bytes, *, big_endian: bool = False) -> Iterator[Inner]:
    """The inner chunks that are stored, in C order; a checksum at the end is not looked at."""
    whole = len(index) // ENTRY * ENTRY
    form = ">QQ" if big_endian else "<QQ"
    for number, (offset, size) in enumerate(struct.iter_unpack(form, index[:whole])):
        if offset != _ABSENT or size != _ABSENT:
            yield Inner(number, offset, size)


def fault(
    index: bytes, shard_size: int, *, checksum: bool, at_start: bool, big_endian: bool = False
) -> Fault | None:
    """The first thing that is wrong with the index of a shard of `shard_size` bytes."""
    if checksum and not is_sealed(index):
        return Fault("checksum", "the checksum of the index differs")
    low = len(index) if at_start else 0
    high = shard_size if at_start else shard_size - len(index)
    stored = list(entries(index, big_endian=big_endian))
    for inner in stored:
        if _ABSENT in (inner.offset, inner.size):
            return Fault("half-absent", f"inner chunk {inner.number} is neither there nor absent")
        if inner.offset < low or inner.end > high:
            return Fault(
                "outside",
                f"inner chunk {inner.number} lies at {inner.offset:,} to {inner.end:,}, "
                f"outside the shard's data ({low:,} to {high:,})",
            )
    stored.sort(key=lambda inner: (inner.offset, inner.size))
    for before, after in pairwise(stored):
        # Writers may point equal chunks at the same bytes.
        if after.offset < before.end and after[1:] != before[1:]:
            return Fault("overlap", f"inner chunks {before.number} and {after.number} overlap")
    return None


def is_sealed(index: bytes) -> bool:
    """Whether the last four bytes are the CRC-32C of those before."""
    from google_crc32c import value

    return int(value(index[:-CHECKSUM])) == int.from_bytes(index[-CHECKSUM:], "little")
