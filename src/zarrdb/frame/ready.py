"""Sources that are ready to use: any place that fsspec knows, and plain HTTP."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from zarrdb.errors import (
    PartsMissingError,
    RangeNotSupportedError,
    RemoteBusyError,
    ShortAnswerError,
)
from zarrdb.frame.adapter import BLOCK_GAP
from zarrdb.frame.refusal import NotRanged, PartsMissing
from zarrdb.frame.source import ByteRangeNDSource, Charged
from zarrdb.frame.sparse import directory_error
from zarrdb.transport.opening import open_reader
from zarrdb.transport.reader import Traffic

if TYPE_CHECKING:
    from typing import Any

    from zarrdb.frame.state import FrameReader


class _Charging(Traffic):
    """Counts, and charges another counter as well."""

    __slots__ = ("_other",)

    def __init__(self, other: Charged) -> None:
        super().__init__()
        self._other = other

    def received(self, size: int, *, hops: int = 0) -> None:
        super().received(size, hops=hops)
        self._other.charge(size)


class FsspecNDSource(ByteRangeNDSource):
    """A frame at a local path or at any URL that fsspec takes, chained ones too.

    `storage_options` go to the file system. Opens with head and tail in one round.
    """

    def __init__(
        self,
        urlpath: str,
        max_concurrency: int = 8,
        traffic: Traffic | Charged | None = None,
        *,
        storage_options: "Mapping[str, Any] | None" = None,
    ) -> None:
        if os.path.isdir(urlpath):
            raise directory_error(urlpath)
        self._ranges = open_reader(
            urlpath,
            storage_options=storage_options,
            max_concurrency=max_concurrency,
            gap=BLOCK_GAP,
        )
        if traffic is None:
            traffic = self._ranges.traffic
        self._ranges.traffic = traffic if isinstance(traffic, Traffic) else _Charging(traffic)
        super().__init__(urlpath, max_concurrency, traffic)

    @property
    def stamp(self) -> str | None:  # type: ignore[override]
        """Names the exact bytes that are read; asked for if no answer has told it."""
        return self._ranges.stamp

    def read_range(self, offset: int, size: int) -> bytes:
        """The bytes [offset, offset + size); fewer at the end of the file."""
        try:
            return self.read_ranges([(offset, size)])[0]
        except ShortAnswerError:
            left = max(0, self._ranges.size - offset)
            if left >= size:
                raise
            return self.read_ranges([(offset, left)])[0]

    def read_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of every (offset, size), in one round; none may reach past the end."""
        try:
            return self._ranges.read_ranges(spans)
        except PartsMissingError as error:
            raise PartsMissing(error.message, error.status) from error
        except (RangeNotSupportedError, RemoteBusyError) as error:
            raise NotRanged(error.message, error.status) from error

    def close(self) -> None:
        """Give back connections; a second call does nothing."""
        self._ranges.close()

    def _reader(self) -> "FrameReader":
        return self._ranges


class HttpNDSource(FsspecNDSource):
    """A frame at an `http` or `https` URL, asked for with the given header fields.

    Several ranges go in one request where the server answers with all of them.
    """

    max_ranges = 64

    def __init__(
        self,
        urlpath: str,
        max_concurrency: int = 8,
        traffic: Traffic | Charged | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        options = {"headers": dict(headers)} if headers else None
        super().__init__(urlpath, max_concurrency, traffic, storage_options=options)
