"""The watch over the stored values of one array: lengths, headers and shard indexes."""

from contextlib import suppress
from typing import Final

from zarrdb.encoded import headers, shard_index
from zarrdb.errors import CorruptError, SchemaError, SourceError, ValueTooLargeError
from zarrdb.keys import KeySource
from zarrdb.lint.stored import Stored
from zarrdb.lint.tally import Tally

UNREADABLE_VALUE: Final = (CorruptError, SchemaError, SourceError, ValueTooLargeError)
"""What reading one value may raise although the store goes on."""

# An index of more inner chunks than this is not fetched: 16 MB for one shard.
_MAX_INNER_CHUNKS = 1_000_000


class ValueWatch:
    """Looks at values without decoding them; `fault` is the first that was found of a kind."""

    def __init__(self, prefix: str, source: KeySource, expected: Stored) -> None:
        self._prefix = prefix
        self._source = source
        self.expected = expected
        self.length = Tally()
        self.header = Tally()
        self.header_fault = ""
        self.shard = Tally()
        self.shard_fault = ""

    def see(self, rest: str, size: int) -> None:
        """Take the key of a value that is not empty; one that cannot be read is passed over."""
        with suppress(*UNREADABLE_VALUE):
            self._see(rest, size)

    def _see(self, rest: str, size: int) -> None:
        expected = self.expected
        if expected.length is not None:
            if size != expected.length:
                self.length.add(rest, size)
        elif expected.codec is not None:
            fault = self._header_fault(self._prefix + rest, size, expected.codec)
            if fault:
                self.header_fault = self.header_fault or fault
                self.header.add(rest, size)
        elif expected.shard is not None:
            self._see_shard(rest, size)

    def _header_fault(self, key: str, size: int, codec: str) -> str | None:
        size -= self.expected.trailing
        head = self._source.get_range(key, 0, headers.HEAD) or b""
        header = headers.READERS[codec](head[: max(size, 0)], size)
        if header is None:
            return f"no {codec} header"
        decoded = header.decoded
        if codec == "gzip":
            tail = self._source.get_range(key, size - 4, 4) or b""
            decoded = headers.gzip_decoded(tail)
        wanted = self.expected.decoded
        if header.stored is not None and header.stored != size:
            return f"the {codec} header says {header.stored:,} bytes, the value has {size:,}"
        if wanted is None or decoded is None:
            return None
        if codec == "gzip":
            wanted %= 1 << 32
        if decoded != wanted:
            return f"the {codec} header says {decoded:,} bytes decoded, a chunk has {wanted:,}"
        return None

    def _see_shard(self, rest: str, size: int) -> None:
        shard = self.expected.shard
        assert shard is not None  # noqa: S101 - the caller has looked
        whole, size = size, size - self.expected.trailing
        if size < shard.size:
            self.length.add(rest, whole)
            return
        if shard.chunks > _MAX_INNER_CHUNKS:
            return
        start = 0 if shard.at_start else size - shard.size
        index = self._source.get_range(self._prefix + rest, start, shard.size) or b""
        fault = shard_index.fault(
            index,
            size,
            checksum=shard.checksum,
            at_start=shard.at_start,
            big_endian=shard.big_endian,
        )
        if fault is not None:
            self.shard_fault = self.shard_fault or fault.message
            self.shard.add(rest, whole)
