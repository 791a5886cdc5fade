"""Every exception of zarrdb, in one tree.

    ZarrdbError                      exit 3: could not read or write
    ├── UsageError                   exit 2: command line or configuration (ValueError)
    │   ├── ConfigError
    │   ├── PluginError
    │   ├── ScopeConflictError       two definitions of one name in a scope
    │   └── SelectionError           a slice that does not fit the array (IndexError)
    ├── AnswerError                  exit 1: the answer is no
    │   ├── NotFoundError            no such node or key (FileNotFoundError, KeyError)
    │   └── VerificationError        a copy differs from its source
    ├── MetadataError                problems where a clean metadata document is needed (ValueError)
    ├── InvalidKeyError              a key that the format forbids (ValueError)
    ├── ContainerError               the file is no store that can be used
    │   ├── MissingError             no such file (FileNotFoundError)
    │   ├── NotAStoreError           no store of any kind, or of another kind
    │   ├── TruncatedError           shorter than it says
    │   ├── CorruptError             damaged
    │   ├── SchemaError              tables, columns or records are not the format's
    │   ├── UnsupportedError         a version or an incompatible flag from the future
    │   ├── ForeignError             another program's application id
    │   └── JournalError             a journal or log beside it that must be settled first
    ├── LockedError                  another process holds it (TimeoutError)
    ├── InUseError                   cannot be replaced while others have it open
    ├── ReadOnlyError                opened for reading only (PermissionError)
    ├── ClosedError                  used after close (ValueError)
    ├── ValueTooLargeError           more than SQLite can hold (ValueError)
    ├── SourceError                  a source that cannot be read (OSError)
    │   └── SourceChangedError       it changed while it was read
    ├── TargetError                  a target that cannot be written (OSError)
    │   ├── TargetExistsError        (FileExistsError)
    │   └── NoSpaceError             disk full, quota, file-size limit
    ├── RangeError                   a byte range could not be had (OSError)
    │   ├── RangeNotSupportedError   the other side answers with something else
    │   │   ├── PartsMissingError    an answer without all the parts asked for
    │   │   └── EncodedAnswerError   compressed on the way
    │   ├── RangeOutsideError        416: past the end
    │   ├── ShortAnswerError         fewer bytes than asked for
    │   ├── StampChangedError        the file was replaced while being read
    │   ├── RemoteMissingError       404, 410 (FileNotFoundError)
    │   ├── RemoteForbiddenError     401, 403 (PermissionError)
    │   ├── RedirectError            redirects that lead nowhere
    │   ├── RemoteBusyError          429, 5xx
    │   ├── RemoteTimeoutError       no answer in time (TimeoutError)
    │   ├── UnreachableError         no connection (ConnectionError)
    │   └── TrafficLimitError        would fetch more than --max-bytes
    ├── FrameError                   a Blosc2 frame that cannot be read (ValueError)
    └── DependencyError              a package that is not installed (ImportError)

A class fixes its exit code and what can usually be done about it; an instance may know better.
"""

from typing import Any, ClassVar


class ZarrdbError(Exception):
    """Base of all errors of zarrdb: one sentence in `message`, what to do in `hint`.

    An empty hint is none; without one the class's own is taken.
    """

    exit_code: ClassVar[int] = 3
    usual_hint: ClassVar[str | None] = None

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.usual_hint if hint is None else hint or None

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; these messages are sentences.
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.args, self.__dict__.copy()))


def _rebuild(
    cls: type[ZarrdbError], args: tuple[object, ...], state: dict[str, object]
) -> ZarrdbError:
    """Unpickle without calling the constructor, whatever arguments a subclass takes."""
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    return error


class UsageError(ZarrdbError, ValueError):
    """The command line, or an argument of a call, is wrong; nothing was done."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration file is wrong; nothing was done."""


class PluginError(UsageError):
    """A plugin that was asked for by name is missing or fails."""


class ScopeConflictError(UsageError):
    """Two definitions claim one name; `conflicts` has them all, as `metadata.scope.Conflict`."""

    def __init__(
        self, message: str, conflicts: tuple[Any, ...], *, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.conflicts = conflicts


class SelectionError(UsageError, IndexError):
    """An index or slice that does not fit the shape it is meant for."""


class AnswerError(ZarrdbError):
    """The question was understood and the answer is no."""

    exit_code = 1


class NotFoundError(AnswerError, FileNotFoundError, KeyError):
    """No such node or key."""


class VerificationError(AnswerError):
    """A copy differs from its source."""

    usual_hint = "copy it again; if it differs again, look at the disk"


class MetadataError(ZarrdbError, ValueError):
    """A metadata document has problems where a clean one is needed; `problems` has them all."""

    def __init__(self, message: str, problems: tuple[Any, ...], *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.problems = problems


class InvalidKeyError(ZarrdbError, ValueError):
    """A key that the format forbids: it starts or ends with `/` or contains `//`."""

    usual_hint = "a key has no `/` at its start or end, and none after another"


class ContainerError(ZarrdbError):
    """The file is no store, or none that can be used."""


class MissingError(ContainerError, FileNotFoundError):
    """There is no such file."""

    usual_hint = "check the name, and where you are"


class NotAStoreError(ContainerError):
    """No store of any kind, or of another kind than asked for."""

    usual_hint = "a .zarrdb, a directory store, a zip store or a zarr-2 SQLite store is wanted"


class TruncatedError(ContainerError):
    """Shorter than its own header says."""

    usual_hint = "fetch or copy it again"


class CorruptError(ContainerError):
    """Damaged."""

    usual_hint = "restore it from a copy; `zarrdb check` tells what else is damaged"


class SchemaError(ContainerError):
    """Tables, columns or required records are not those of the format."""

    usual_hint = "`zarrdb check` tells what else is wrong with it"


class UnsupportedError(ContainerError):
    """A version, or an incompatible flag, that this release does not know."""

    usual_hint = "`zarrdb check` tells what else is wrong with it"


class ForeignError(ContainerError):
    """The application id is another program's."""

    usual_hint = "leave it to the program that wrote it"


class JournalError(ContainerError):
    """A journal or write-ahead log beside the file has to be settled first."""


class LockedError(ZarrdbError, TimeoutError):
    """Another process holds the lock for longer than the timeout."""


class InUseError(ZarrdbError):
    """Cannot be replaced while other connections have it open."""


class ReadOnlyError(ZarrdbError, PermissionError):
    """Opened for reading only, or the place cannot be written."""

    usual_hint = "check the permissions"


class ClosedError(ZarrdbError, ValueError):
    """Used after `close`."""


class ValueTooLargeError(ZarrdbError, ValueError):
    """A value, key included, over the length limit of this SQLite."""

    usual_hint = "smaller chunks or shards"


class SourceError(ZarrdbError, OSError):
    """A source that cannot be read."""

    usual_hint = "check its permissions, and the disk"


class SourceChangedError(SourceError):
    """A source that changed or vanished while it was read."""

    usual_hint = "try again when nobody changes it"


class TargetError(ZarrdbError, OSError):
    """A target that cannot be written."""

    usual_hint = "choose another place"


class TargetExistsError(TargetError, FileExistsError):
    """The target exists and was not to be replaced."""

    usual_hint = "choose another name"


class NoSpaceError(TargetError):
    """Disk full, quota exceeded, or past the file-size limit."""

    usual_hint = "free some space, or write elsewhere"


class RangeError(ZarrdbError, OSError):
    """A byte range could not be had; `transient` says whether asking again may help."""

    usual_hint = "check the address, and try again"
    transient: bool = False
    status: int | None = None
    """Of an HTTP answer."""
    retry_after: float | None = None
    """Seconds that the other side asks to be left alone for."""


class RangeNotSupportedError(RangeError):
    """The other side answered with something other than the bytes asked for."""

    usual_hint = "--download fetches the whole file once"


class PartsMissingError(RangeNotSupportedError):
    """An answer with several parts did not carry all that were asked for."""


class EncodedAnswerError(RangeNotSupportedError):
    """The answer is compressed: its bytes are not those of the file."""


class RangeOutsideError(RangeError):
    """The other side says that the range lies past the end of the file."""


class ShortAnswerError(RangeError):
    """Fewer bytes than asked for."""

    transient = True


class StampChangedError(RangeError):
    """The stamp differs from that of the first answer: the file was replaced."""


class RemoteMissingError(RangeError, FileNotFoundError):
    """The other side knows no such file."""


class RemoteForbiddenError(RangeError, PermissionError):
    """The other side does not let us read it."""


class RedirectError(RangeError):
    """Redirected too often, or to something that is no web address."""


class RemoteBusyError(RangeError):
    """Overloaded, or broken for the moment."""

    usual_hint = "try again later"
    transient = True


class RemoteTimeoutError(RangeError, TimeoutError):
    """No answer in time."""

    usual_hint = "try again, or wait longer with --timeout"
    transient = True


class UnreachableError(RangeError, ConnectionError):
    """No connection, or one that broke before the answer."""

    usual_hint = "check the address and the network"
    transient = True


class TrafficLimitError(RangeError):
    """Reading on would fetch more than the caller allows."""


class FrameError(ZarrdbError, ValueError):
    """A Blosc2 frame that cannot be read; `reason` is the name of its rule in `frame/`.

    One of `truncated` `bad-metalayer` `bad-index` `bad-chunk` `not-an-array`, or
    `unreadable` for what is no frame at all, or one of a version not known here.
    """

    usual_hint = "fetch it again, or restore it from a copy"

    def __init__(
        self, message: str, *, reason: str = "unreadable", hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class DependencyError(ZarrdbError, ImportError):
    """A package that this needs is not installed."""
