"""From names on the command line to the stores to check."""

import os
from collections.abc import Iterable, Iterator

from zarrdb.errors import UsageError
from zarrdb.location import is_url
from zarrdb.spec import DOCUMENT_NAMES, EXTENSION


def targets(names: Iterable[str]) -> list[str]:
    """The stores that the names stand for; a directory that is no store is searched.

    Raises UsageError where no name leads to anything, so that a wrong one never passes; a
    directory that holds nothing is kept beside others, to be reported.
    """
    found: list[str] = []
    empty: list[str] = []
    for name in names:
        if is_url(name) or not os.path.isdir(name) or _is_store(name):
            found.append(name)
            continue
        below = list(_search(name))
        found += below or [name]
        empty += [] if below else [name]
    if len(found) == len(empty):
        places = ", ".join(empty) or "the list of files is empty"
        raise UsageError(
            f"nothing to check: no metadata document and no *{EXTENSION} below {places}",
            hint="give the stores themselves, or a directory that holds some",
        )
    return found


def _is_store(path: str) -> bool:
    """Whether a directory has a metadata document, or a child that has one and no file does."""
    if path.rstrip(os.sep).endswith(EXTENSION):
        return True
    try:
        with os.scandir(path) as entries:
            listed = [(entry.name, entry.is_dir()) for entry in entries]
    except OSError:
        return True
    # The file that makes a directory a sparse Blosc2 frame.
    if any(name in DOCUMENT_NAMES or name == "chunks.b2frame" for name, _ in listed):
        return True
    if any(name.endswith(EXTENSION) for name, _ in listed):
        return False
    return any(
        os.path.isfile(os.path.join(path, name, document))
        for name, is_dir in listed
        if is_dir
        for document in DOCUMENT_NAMES
    )


def _search(path: str) -> Iterator[str]:
    """Every `*.zarrdb` below a directory, in order of their names."""
    for folder, folders, files in os.walk(path):
        folders.sort()
        stores = [name for name in folders if name.endswith(EXTENSION)]
        for name in stores:
            folders.remove(name)
        for name in sorted([*files, *stores]):
            if name.endswith(EXTENSION):
                yield os.path.join(folder, name)
