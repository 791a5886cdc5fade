"""What is this, and a source to read it with."""

import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple

from zarrdb.db import Database, inspect
from zarrdb.db.filebytes import FileBytes
from zarrdb.db.paths import sqlite_path
from zarrdb.errors import (
    MissingError,
    NotAStoreError,
    RangeNotSupportedError,
    RemoteMissingError,
    SourceError,
)
from zarrdb.keys import KeySource, printable
from zarrdb.location import Location, parse
from zarrdb.magic import HINTS, identify_bytes, is_blosc_chunk
from zarrdb.sources.regular import reason, what_is
from zarrdb.spec import APPLICATION_ID, EXTENSION

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from typing_extensions import TypeIs

    from zarrdb.frame.file import FrameFile
    from zarrdb.sources.links import Links
    from zarrdb.transport.options import RemoteOptions

    class OpenOptions(TypedDict, total=False):
        """What `open_any` takes besides the place."""

        links: Links
        keep_junk: bool
        exclude: tuple[str, ...]
        any_name: bool
        timeout: float
        temp_dir: str | None
        remote: RemoteOptions | None


_HEAD_LENGTH: Final = 512

_APPLICATION_ID: Final = APPLICATION_ID.to_bytes(4, "big")


class Identified(NamedTuple):
    """What stands at a place.

    `kind` is a store (`sqlite`, `directory`, `zip`, `frame`), or what else it is: `missing`
    `special` `empty` `tar` `npy` `hdf5` `netcdf` `tiff` `compressed` `log` `html` `xml` `text`
    `document` `lfs-pointer` `blosc-chunk` `frame-directory` `unreadable` `unknown`.
    """

    kind: str
    detail: str
    """Reads on after its name: `is an HDF5 file`."""
    head: bytes = b""
    """The first bytes of a regular file."""
    hint: str | None = None


def identify(location: str | os.PathLike[str] | Location) -> Identified:
    """What stands at a path; nothing but a regular file is opened, and nothing changed.

    A database is read as SQLite reads it: `open` would drop the locks of this process.
    """
    place = location if isinstance(location, Location) else parse(location)
    try:
        status = os.stat(place.path)
    except (FileNotFoundError, NotADirectoryError):
        if os.path.islink(place.path):
            return Identified("missing", "is a link that leads nowhere")
        return Identified("missing", "does not exist")
    except OSError as error:
        return Identified("unreadable", f"cannot be read: {reason(error)}")
    except ValueError:
        return Identified("missing", "is no path")
    if stat.S_ISDIR(status.st_mode):
        if os.path.lexists(os.path.join(place.path, "chunks.b2frame")):
            return Identified("frame-directory", "is a sparse Blosc2 frame, a file for each chunk")
        return Identified("directory", "is a directory")
    if not stat.S_ISREG(status.st_mode):
        return Identified("special", what_is(status.st_mode))
    try:
        head = _head(place.path)
    except SourceError as error:
        return Identified("unreadable", f"cannot be read: {error.message.rpartition(': ')[2]}")
    except OSError as error:
        return Identified("unreadable", f"cannot be read: {reason(error)}")
    kind, detail = identify_bytes(head, place.name)
    if kind == "unknown" and is_blosc_chunk(head, status.st_size):
        kind, detail = "blosc-chunk", "is a single Blosc chunk, not a frame"
    return _with_hint(kind, detail, head, place.display)


def _head(path: str) -> bytes:
    try:
        sqlite_path(os.path.realpath(path), printable(path))
    except SourceError:
        # SQLite cannot open it, so that there are no locks that could be lost.
        with open(path, "rb") as file:
            return file.read(_HEAD_LENGTH)
    with FileBytes(path) as file:
        return file.read(0, _HEAD_LENGTH)


def open_any(
    location: str | os.PathLike[str] | Location,
    *,
    links: "Links" = "follow",
    keep_junk: bool = False,
    exclude: tuple[str, ...] = (),
    any_name: bool = False,
    timeout: float = 5.0,
    temp_dir: str | None = None,
    remote: "RemoteOptions | None" = None,
) -> "KeySource | FrameFile":
    """Open whatever stands at a path or a URL: a store, or a Blosc2 frame; `-` is a tar on stdin.

    `any_name` takes a directory or a zip that is called `.zarrdb` too, which is refused
    otherwise. `exclude` are paths inside a directory store that are not part of it.
    `temp_dir` is where the values of a tar wait. `remote` is what goes with a URL. Raises
    MissingError, NotAStoreError, SourceError, all that `Database.open` raises, RangeErrors,
    FrameError and DependencyError.
    """
    place = location if isinstance(location, Location) else parse(location)
    if place.is_url:
        return _open_remote(place, remote, keep_junk=keep_junk)
    if place.is_stdin:
        from zarrdb.sources.tar import TarSource

        return TarSource.from_stdin(keep_junk=keep_junk, temp_dir=temp_dir)
    found = identify(place)
    if found.kind == "sqlite":
        return _open_database(place, found.head, timeout)
    if found.kind == "frame":
        from zarrdb.frame.file import open_file

        return open_file(place.path, name=place.display)
    if found.kind in ("directory", "zip") and not any_name and place.suffix == EXTENSION:
        raise _misnamed(place, found.kind)
    if found.kind == "directory":
        from zarrdb.sources.directory import DirectorySource

        return DirectorySource(place.path, links=links, keep_junk=keep_junk, exclude=exclude)
    if found.kind == "zip":
        from zarrdb.sources.zip import ZipSource

        return ZipSource(place.path, keep_junk=keep_junk)
    raise _refusal(place, found)


def open_source(
    location: str | os.PathLike[str] | Location, **options: "Unpack[OpenOptions]"
) -> KeySource:
    """Open a store, as `open_any` does; raises NotAStoreError for a Blosc2 frame as well."""
    found = open_any(location, **options)
    if is_frame(found):
        found.close()
        raise NotAStoreError(
            f"{found.name} is a Blosc2 frame, one array without keys",
            hint="`zarrdb import` turns it into a .zarrdb",
        )
    return found


def open_frame(
    location: str | os.PathLike[str] | Location, *, remote: "RemoteOptions | None" = None
) -> "FrameFile":
    """Open a Blosc2 frame, as `open_any` does; raises NotAStoreError for a store."""
    found = open_any(location, remote=remote)
    if not is_frame(found):
        found.close()
        raise NotAStoreError(f"{found.name} is no Blosc2 frame")
    return found


def is_frame(opened: "KeySource | FrameFile") -> "TypeIs[FrameFile]":
    """Whether what was opened is a Blosc2 frame."""
    return opened.kind == "frame"


def _open_database(place: Location, head: bytes, timeout: float) -> KeySource:
    """A `.zarrdb`; or zarr-python 2's store, which never has the application id."""
    kind = "zarrdb"
    if head[68:72] != _APPLICATION_ID:
        facts = inspect(place.path, timeout=timeout)
        kind = facts.kind
        if kind == "sqlite" and facts.objects:
            raise NotAStoreError(
                f"{place.display} is a SQLite database of another program",
                hint="a store has the tables `zarr` and `zarr_sqlitestore_metadata`",
            )
    if kind == "legacy":
        database = Database.open_legacy(place.path, timeout=timeout)
    else:
        database = Database.open(place.path, timeout=timeout)
    # Messages show the path as it was given.
    database.name = place.display
    return database


def _open_remote(
    place: Location, remote: "RemoteOptions | None", *, keep_junk: bool
) -> "KeySource | FrameFile":
    """What stands at a URL, its kind by the first bytes: as many as opening it takes anyway."""
    from zarrdb.db.pager import HEAD
    from zarrdb.db.remote import open_remote
    from zarrdb.transport.opening import reach
    from zarrdb.transport.options import RemoteOptions

    remote = remote or RemoteOptions()
    if not place.name or place.suffix == ".zarr":
        folder = _folder(place, remote, keep_junk=keep_junk)
        if folder is not None:
            return folder
    reader = reach(place, remote)
    try:
        if place.suffix == ".b2nd":
            from zarrdb.frame.file import open_suffixed

            if (frame := open_suffixed(reader)) is not None:
                return frame
        first, _ = reader.head_tail(min(HEAD, remote.max_bytes or HEAD), 0)
        kind, detail = identify_bytes(first, place.name)
        if kind == "sqlite":
            return open_remote(reader, first=first, strict=remote.strict)
        if kind == "zip":
            from zarrdb.sources.remote_zip import RemoteZipSource

            return RemoteZipSource(reader, keep_junk=keep_junk)
        if kind == "frame":
            from zarrdb.frame.file import FrameFile

            return FrameFile(reader)
        raise _refusal(place, _with_hint(kind, detail, first, place.display))
    except (RemoteMissingError, RangeNotSupportedError):
        reader.close()
        folder = _folder(place, remote, keep_junk=keep_junk)
        if folder is None:
            raise
        return folder
    except BaseException:
        reader.close()
        raise


def _folder(place: Location, remote: "RemoteOptions", *, keep_junk: bool) -> KeySource | None:
    from zarrdb.sources.filesystem import open_folder

    folder = open_folder(
        place, remote.storage_options, keep_junk=keep_junk, max_bytes=remote.max_bytes
    )
    if folder is not None and place.suffix == ".b2nd":
        from zarrdb.frame.sparse import NAME, sparse_refusal

        if folder.size(NAME) is not None:
            folder.close()
            raise sparse_refusal(f"{place.display}: a sparse frame, a file for each chunk")
    return folder


def _misnamed(place: Location, kind: str) -> NotAStoreError:
    from shlex import quote

    what = "is a directory store (zarr-python takes a path for a directory)"
    if kind == "zip":
        what = "looks like a zip store"
    return NotAStoreError(
        f"{place.display} {what}",
        hint=f"`zarrdb import {quote(place.display)} -o FILE` turns it into one file",
    )


def _refusal(place: Location, found: Identified) -> Exception:
    message = f"{place.display} {found.detail}"
    if found.kind == "missing":
        return MissingError(message, hint=found.hint)
    if found.kind == "unreadable":
        return SourceError(message, hint=found.hint)
    if found.kind == "frame-directory":
        from zarrdb.frame.sparse import sparse_error

        return sparse_error(place.path)
    return NotAStoreError(message, hint=found.hint)


def _with_hint(kind: str, detail: str, head: bytes = b"", name: str = "") -> Identified:
    hint = HINTS.get(kind)
    return Identified(kind, detail, head, hint and hint.format(name=name))
