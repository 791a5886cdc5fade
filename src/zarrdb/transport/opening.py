"""A range reader for a place: local path, web address, or whatever fsspec knows."""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from zarrdb.errors import DependencyError, UsageError
from zarrdb.location import Location, parse, redact
from zarrdb.transport.link import Link
from zarrdb.transport.local import LocalReader
from zarrdb.transport.options import TIMEOUT, RemoteOptions
from zarrdb.transport.reader import RangeReader
from zarrdb.transport.remote import MAX_CONCURRENCY, RemoteReader
from zarrdb.transport.spans import MERGE_GAP


def open_reader(
    location: str | os.PathLike[str] | Location,
    *,
    storage_options: Mapping[str, Any] | None = None,
    timeout: float = TIMEOUT,
    max_bytes: int | None = None,
    max_concurrency: int = MAX_CONCURRENCY,
    gap: int = MERGE_GAP,
    sleep: Callable[[float], None] = time.sleep,
) -> RangeReader:
    """A reader of one file; nothing of a remote one is read yet.

    `storage_options` go to fsspec; holes of up to `gap` bytes are read with their
    neighbours. A local file must be no database that may be open (see `transport.local`).
    Raises UsageError for an unknown scheme or option, DependencyError where a driver is not
    installed, MissingError and SourceError for a local file.
    """
    place = location if isinstance(location, Location) else parse(location)
    if not place.is_url:
        return LocalReader(place.path, name=place.display)
    link = open_link(place, storage_options or {}, timeout)
    if isinstance(link, LocalReader):
        return link
    return RemoteReader(
        link, max_concurrency=max_concurrency, max_bytes=max_bytes, gap=gap, sleep=sleep
    )


def reach(place: Location, remote: RemoteOptions) -> RangeReader:
    """A reader as the options want it: over the network, or of a file downloaded first."""
    if not remote.download:
        return open_reader(
            place,
            storage_options=remote.storage_options,
            timeout=remote.timeout,
            max_bytes=remote.max_bytes,
        )
    from zarrdb.transport.download import download

    return download(
        place,
        storage_options=remote.storage_options,
        timeout=remote.timeout,
        max_bytes=remote.max_bytes,
        temp_dir=remote.temp_dir,
    )


def open_link(
    place: Location, storage_options: Mapping[str, Any], timeout: float
) -> Link | LocalReader:
    """The way to the file of a URL; a local file, named in fsspec's way, is read at once."""
    if is_web(place):
        from zarrdb.transport.http import HttpLink

        return HttpLink(place.text, place.display, options=storage_options, timeout=timeout)
    from zarrdb.transport.filesystem import FilesystemLink, protocols

    filesystem, path = open_filesystem(place, storage_options)
    if "file" in protocols(filesystem):
        return LocalReader(path, name=place.display)
    return FilesystemLink(
        filesystem,
        path,
        place.display,
        reopen=lambda: open_filesystem(place, storage_options)[0],
    )


def open_filesystem(place: Location, storage_options: Mapping[str, Any]) -> tuple[Any, str]:
    """fsspec's file system for a URL, chained ones too, and the path in it."""
    from fsspec.core import url_to_fs

    try:
        filesystem, path = url_to_fs(place.text, **storage_options)
    except ImportError as error:
        cause = error.__cause__ if isinstance(error.__cause__, ImportError) else error
        package = (cause.name or "").partition(".")[0] or "another package"
        raise DependencyError(
            f"{place.display}: needs {package}, which is not installed",
            hint=f"pip install {package}",
        ) from error
    except (ValueError, TypeError) as error:
        raise UsageError(f"{place.display}: cannot be opened: {redact(str(error))}") from error
    return filesystem, str(path)


def is_web(place: Location) -> bool:
    """Whether it is a plain web address, which HTTP by hand reads."""
    return place.text.lower().startswith(("http://", "https://")) and "::" not in place.text
