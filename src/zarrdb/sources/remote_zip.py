"""A zip store far away: its directory in one round, members in as few as fit."""

from collections.abc import Iterable, Iterator
from typing import IO, Final, cast
from zipfile import ZipInfo

from zarrdb.sources.zip import LOCAL_HEADER, ZipSource
from zarrdb.transport.rangefile import RangeFile
from zarrdb.transport.reader import RangeReader, Traffic

BATCH_BYTES: Final = 24 << 20
"""Bytes of the members that are fetched together; the cache holds more."""

_EXTRA_ROOM: Final = 64
"""Bytes that the extra fields of a local header mostly fit in; more cost one more request."""


class RemoteZipSource(ZipSource):
    """The members of a zip behind a range reader. Closing it closes the reader."""

    def __init__(self, reader: RangeReader, *, keep_junk: bool = False) -> None:
        self._file = RangeFile(reader)
        try:
            super().__init__(reader.name, keep_junk=keep_junk, file=cast("IO[bytes]", self._file))
        except BaseException:
            self._file.close()
            raise

    @property
    def traffic(self) -> Traffic:
        """What was fetched so far."""
        return self._file.traffic

    @property
    def stamp(self) -> str | None:
        """Names the exact bytes of the zip; None if the other side has no name for them."""
        return self._file.stamp

    def get(self, key: str) -> bytes | None:
        """The whole value, or None. Raises CorruptError, SourceError naming the member."""
        self._fetch([key])
        return super().get(key)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given; as many as fit are fetched together."""
        for batch in self._batches(keys):
            self._fetch(batch)
            for key in batch:
                yield key, super().get(key)

    def close(self) -> None:
        """Close the zip and the reader; a second call does nothing."""
        super().close()
        self._file.close()

    def _read_at(self, offset: int, size: int) -> bytes:
        return self._file.read_at(offset, size)

    def _info(self, key: str) -> ZipInfo | None:
        number = self._members.find(key)
        return None if number is None else self._infos[number]

    def _batches(self, keys: Iterable[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        size = 0
        for key in keys:
            batch.append(key)
            info = self._info(key)
            size += info.compress_size if info is not None else 0
            if size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _fetch(self, keys: Iterable[str]) -> None:
        """Bring the members of some keys, those that fit, in one round."""
        infos = [info for info in map(self._info, keys) if info is not None]
        self._file.prefetch(
            (info.header_offset, _room(info)) for info in infos if _room(info) <= 2 * BATCH_BYTES
        )


def _room(info: ZipInfo) -> int:
    name = len(info.orig_filename.encode(errors="replace"))
    return LOCAL_HEADER + name + _EXTRA_ROOM + info.compress_size
