"""What a transport raises that answers with something other than the bytes asked for."""

import sys
from typing import ClassVar, Self

from zarrdb.errors import PartsMissingError, RangeNotSupportedError

_BUSY = 429


class NotRanged(RangeNotSupportedError, ValueError):  # noqa: N818 (the name of blosc2's)
    """Something else came back than the bytes asked for; chunks may still come whole.

    `status` is the HTTP status where there was one. `transient` says whether asking again
    may be answered differently: a busy server (429, 5xx) may, one that sends the whole file
    will not.
    """

    _in_blosc2: ClassVar[str] = "NotRanged"

    def __new__(cls, *args: object) -> Self:
        """Of blosc2's class as well, if that is loaded: its Proxy catches no other."""
        theirs = getattr(sys.modules.get("blosc2.proxy_source"), cls._in_blosc2, None)
        if theirs is None or issubclass(cls, theirs):
            return super().__new__(cls, *args[:1])
        return super().__new__(type(cls.__name__, (cls, theirs), {"_plain": cls}), *args[:1])

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.transient = status is not None and (status == _BUSY or status >= 500)

    def __reduce__(self) -> tuple[object, ...]:
        return getattr(self, "_plain", type(self)), (self.message, self.status)


class PartsMissing(NotRanged, PartsMissingError):  # noqa: N818
    """An answer to several ranges did not carry all of them: ask for one at a time."""

    _in_blosc2 = "PartsMissing"
