"""From names on the command line to the stores to check."""

import os
from collections.abc import Iterable
from typing import Final, NamedTuple

from zarrdb.errors import UsageError
from zarrdb.keys import printable
from zarrdb.location import is_url
from zarrdb.spec import DOCUMENT_NAMES, EXTENSION

_DIRECTORY_STORE: Final = ".zarr"
"""What a directory is called that is a store of its own, not a node of what it lies in."""

_SPARSE_FRAME: Final = "chunks.b2frame"
"""The file that makes a directory a sparse Blosc2 frame."""


class Targets(NamedTuple):
    """The stores to check, and the directory stores that a search has met."""

    stores: list[str]
    passed_over: list[str]


def targets(names: Iterable[str]) -> Targets:
    """The stores that the names stand for; a directory that is no store is searched.

    The search is for `*.zarrdb`. Raises UsageError where no name leads to anything, or one to
    directory stores alone, so that a wrong one never passes; a directory that holds nothing is
    kept beside others, to be reported.
    """
    found = Targets([], [])
    empty: list[str] = []
    for name in names:
        if is_url(name) or not os.path.isdir(name) or _is_store(name):
            found.stores.append(name)
            continue
        below = _search(name)
        if below.passed_over and not below.stores:
            raise UsageError(
                f"nothing to check: no *{EXTENSION} below {printable(name)}",
                hint=f"name the directory stores in it, like {printable(below.passed_over[0])}",
            )
        found.stores.extend(below.stores or [name])
        found.passed_over.extend(below.passed_over)
        empty += [] if below.stores else [name]
    if len(found.stores) == len(empty):
        places = ", ".join(map(printable, empty)) or "the list of files is empty"
        raise UsageError(
            f"nothing to check: no metadata document and no *{EXTENSION} below {places}",
            hint="give the stores themselves, or a directory that holds some",
        )
    return found


def _is_store(path: str) -> bool:
    """Whether a directory has a metadata document, or a child that can only be its node.

    That is a child with a metadata document, where there is no file that is a store.
    """
    if path.rstrip(os.sep).endswith(EXTENSION):
        return True
    try:
        with os.scandir(path) as entries:
            listed = [(entry.name, entry.is_dir()) for entry in entries]
    except OSError:
        return True
    if _has_document(name for name, _ in listed):
        return True
    if any(name.endswith(EXTENSION) for name, _ in listed):
        return False
    return any(
        os.path.isfile(os.path.join(path, name, document))
        for name, is_dir in listed
        if is_dir and not _is_named_store(name)
        for document in DOCUMENT_NAMES
    )


def _has_document(names: Iterable[str]) -> bool:
    return any(name in DOCUMENT_NAMES or name == _SPARSE_FRAME for name in names)


def _is_named_store(name: str) -> bool:
    return name.lower().endswith(_DIRECTORY_STORE)


def _search(path: str) -> Targets:
    """What lies below a directory, in order of names.

    Directories that cannot be listed count as stores: checking them reports it.
    """
    found = Targets([], [])
    unlisted: list[str] = []
    for folder, folders, files in os.walk(path, onerror=lambda e: unlisted.append(e.filename)):
        folders.sort()
        stores = [name for name in folders if name.endswith(EXTENSION)]
        for name in stores:
            folders.remove(name)
        for name in sorted([*files, *stores]):
            if name.endswith(EXTENSION):
                found.stores.append(os.path.join(folder, name))
        if folder != path and (_is_named_store(folder) or _has_document(files)):
            # Whatever lies in the last one comes before all that does not.
            last = found.passed_over[-1] if found.passed_over else None
            if last is None or not folder.startswith(os.path.join(last, "")):
                found.passed_over.append(folder)
    found.stores.extend(unlisted)
    return found
