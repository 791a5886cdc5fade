"""Files and directories that must not stay behind when a run is cut short.

A signal may arrive between the making of a file and the `with` that would take it away again.
So whoever makes one notes it before, and a run that ends takes away what is still noted.
"""

import os
from contextlib import suppress
from shutil import rmtree
from typing import Final

_PATHS: Final[dict[str, int]] = {}


def note(path: str) -> None:
    """A private path that this process is about to make."""
    _PATHS[os.path.abspath(path)] = os.getpid()


def settled(path: str) -> None:
    """It has got its name, or is gone."""
    _PATHS.pop(os.path.abspath(path), None)


def noted() -> frozenset[str]:
    """What is noted and not settled."""
    return frozenset(_PATHS)


def remove(*, but: frozenset[str] = frozenset()) -> None:
    """Delete everything that this process noted and that was not settled."""
    for path in noted() - but:
        if _PATHS[path] == os.getpid():
            with suppress(OSError):
                if os.path.isdir(path) and not os.path.islink(path):
                    rmtree(path, ignore_errors=True)
                else:
                    os.unlink(path)
        settled(path)
