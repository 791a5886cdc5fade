"""Files that nobody else knows yet: written under a private name, renamed when complete."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, NoReturn

from zarrdb import unfinished
from zarrdb.errors import InUseError, NoSpaceError, ReadOnlyError, TargetError, ZarrdbError
from zarrdb.keys import printable

_NAME: Final = re.compile(r"\.(?P<target>.+)\.[0-9]+-[0-9a-f]{8}\.tmp", re.DOTALL)
_NAME_ROOM: Final = 200  # bytes of the target's name, so that the whole stays below 255

SPACE_REASONS: Final = {
    errno.ENOSPC: "no space left on device",
    getattr(errno, "EDQUOT", errno.ENOSPC): "disk quota exceeded",
    errno.EFBIG: "past the limit on the size of files",
}
"""The ways to run out of room, each with its own words."""


class PrivateFile:
    """An empty new file `.NAME.PID-RANDOM.tmp`, beside the target or in another directory.

    While its process lives it is locked (as far as the file system has locks), so that a
    later run can tell a leftover from work in progress. With `lasting` it is `.NAME.partial`,
    which may exist; raises InUseError where another process works on it.
    """

    __slots__ = ("_descriptor", "name", "path", "target")

    def __init__(self, target: str, *, directory: str | None = None, lasting: bool = False) -> None:
        self.name, self.target = target, os.path.realpath(target)
        own = f"{os.getpid()}-{os.urandom(4).hex()}.tmp"
        self.path = lasting_path(target, directory) if lasting else _path(target, directory, own)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
        if not lasting:
            unfinished.note(self.path)
        try:
            self._descriptor: int | None = os.open(
                self.path, flags if lasting else flags | os.O_EXCL, 0o666
            )
        except OSError as error:
            unfinished.settled(self.path)
            raise_target_error(error, target)
        # Whoever held the lock before may have renamed the file meanwhile.
        if not _try_lock(self._descriptor) or (lasting and not self._is_in_place()):
            self.close()
            raise InUseError(
                f"{printable(self.path)}: another process is writing it",
                hint="wait until it is done",
            )

    def sync(self) -> None:
        """Have the file's data on the disk. Raises NoSpaceError, TargetError."""
        try:
            os.fsync(self._open_descriptor())
        except OSError as error:
            raise_target_error(error, self.name)

    def forget_cache(self) -> None:
        """Have the next reader get the bytes from the disk, where the system allows it."""
        if hasattr(os, "posix_fadvise"):
            with suppress(OSError):
                os.posix_fadvise(self._open_descriptor(), 0, 0, os.POSIX_FADV_DONTNEED)

    def size(self) -> int:
        """Its size in bytes, now."""
        return os.fstat(self._open_descriptor()).st_size

    def take_after(self, path: str) -> None:
        """Give it the mode and, where the system allows it, the owner of a file it replaces."""
        found = os.stat(path)
        with suppress(OSError, AttributeError):
            os.chown(self.path, found.st_uid, found.st_gid)
        with suppress(OSError):
            os.chmod(self.path, found.st_mode & 0o7777)

    def rename(self) -> None:
        """Give it the target's name; the directory is on the disk as well."""
        try:
            if not _on_one_device(self.path, os.path.dirname(self.target)):
                self._move_beside_target()
            os.replace(self.path, self.target)
        except OSError as error:
            raise_target_error(error, self.name)
        unfinished.settled(self.path)
        self.close()
        sync_directory(os.path.dirname(self.target))

    @contextmanager
    def under_its_name(self) -> Iterator[None]:
        """What goes wrong with the private file is told of the target."""
        try:
            yield
        except ZarrdbError as error:
            error.message = error.message.replace(printable(self.path), printable(self.name))
            raise

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def remove(self) -> None:
        """Delete it, if it was not renamed."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.unlink(self.path)
            unfinished.settled(self.path)
            self.close()

    def _is_in_place(self) -> bool:
        found = os.fstat(self._open_descriptor())
        with suppress(OSError):
            return os.path.samestat(found, os.stat(self.path))
        return False

    def _open_descriptor(self) -> int:
        if self._descriptor is None:
            raise TargetError(f"{printable(self.name)}: already finished")
        return self._descriptor

    def _move_beside_target(self) -> None:
        from shutil import copyfile, copymode

        beside = PrivateFile(self.target)
        try:
            copyfile(self.path, beside.path)
            copymode(self.path, beside.path)
            beside.sync()
        except BaseException:
            beside.remove()
            raise
        self.remove()
        self.path, self._descriptor, beside._descriptor = beside.path, beside._descriptor, None


def lasting_path(target: str, directory: str | None = None) -> str:
    """Where the file of an interrupted run that can be continued is."""
    return _path(target, directory, "partial")


def _path(target: str, directory: str | None, ending: str) -> str:
    real = os.path.realpath(target)
    home = os.path.abspath(directory or os.path.dirname(real))
    return os.path.join(home, f".{_short_name(real)}.{ending}")


def _short_name(path: str) -> str:
    return os.fsdecode(os.fsencode(os.path.basename(path))[:_NAME_ROOM])


def remove_leftovers(target: str, *, directory: str | None = None) -> None:
    """Delete the private files of earlier runs for this target that were killed."""
    try:
        import fcntl
    except ImportError:
        return
    real = os.path.realpath(target)
    home = directory or os.path.dirname(real)
    name = _short_name(real)
    with suppress(OSError), os.scandir(home) as found:
        for entry in found:
            match = _NAME.fullmatch(entry.name)
            if match is None or match["target"] != name or not entry.is_file(follow_symlinks=False):
                continue
            with suppress(OSError):
                descriptor = os.open(entry.path, os.O_RDWR)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(entry.path)
                finally:
                    os.close(descriptor)


def sync_directory(path: str) -> None:
    """Have the names in a directory on the disk, where the system can do that."""
    with suppress(OSError):
        descriptor = os.open(path or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def space_error(code: int | None, name: str) -> NoSpaceError | None:
    """The error for a system's error number that means no more room, else None."""
    reason = SPACE_REASONS.get(code or 0)
    if reason is None:
        return None
    error = NoSpaceError(
        f"{printable(name)}: {reason}; nothing was left behind",
        hint="-o elsewhere, or --temp-dir on another file system",
    )
    error.errno = code
    return error


def raise_target_error(error: OSError, name: str) -> NoReturn:
    """Raise the error of ours for what the operating system said about a target."""
    if isinstance(error, ZarrdbError):
        raise error
    full = space_error(error.errno, name)
    if full is not None:
        raise full from error
    reason = (error.strerror or str(error)).lower()
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        raise ReadOnlyError(
            f"{printable(name)}: cannot be written: {reason}", hint="name another place"
        ) from error
    raise TargetError(f"{printable(name)}: cannot be written: {reason}") from error


def _try_lock(descriptor: int) -> bool:
    """Lock a file, as far as the file system has locks; whether nobody else has locked it."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _on_one_device(path: str, directory: str) -> bool:
    return os.stat(path).st_dev == os.stat(directory or ".").st_dev
