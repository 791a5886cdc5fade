"""Whether a directory is purely a store, so that replacing it loses nothing else."""

import os
import re
from collections.abc import Iterator
from typing import Final

from zarrdb.errors import TargetExistsError, UsageError
from zarrdb.keys import KeySource, is_document, printable, split
from zarrdb.sources.directory import DirectorySource

_CHUNK: Final = re.compile(r"c|(?:c[./])?[0-9]+(?:[./][0-9]+)*")
# What systems leave behind by themselves; a `.git` or a backup is somebody's.
_LITTER: Final = re.compile(r"\.DS_Store|\._.*|Thumbs\.db|desktop\.ini", re.DOTALL)
_SHOWN: Final = 5


def require_pure_store(path: str, source: KeySource) -> None:
    """Refuse to replace a directory that holds more than documents, chunks and litter.

    Raises what `require_pure` raises.
    """
    if os.path.isdir(path) and os.listdir(path):
        require_pure(path, DirectorySource(path, keep_junk=True, links="refuse"), source)


def require_pure(path: str, there: KeySource, source: KeySource) -> None:
    """Refuse to replace what stands at a place, with its junk, unless it is purely a store.

    Keys that the source has as well do not count: they are replaced. Raises
    TargetExistsError with some of the strangers.
    """
    nodes = {split(entry.key)[0] for entry in there.entries() if is_document(entry.key)}
    if "" not in nodes:
        raise TargetExistsError(
            f"{printable(path)}: is no store, so it is not replaced",
            hint="name a directory that does not exist yet",
        )
    strangers = []
    for stranger in _strangers(there, nodes, source):
        strangers.append(stranger)
        if len(strangers) > _SHOWN:
            break
    if strangers:
        more = ", …" if len(strangers) > _SHOWN else ""
        raise TargetExistsError(
            f"{printable(path)}: holds what is no part of a store, so it is not replaced:"
            f" {', '.join(strangers[:_SHOWN])}{more}",
            hint="move them away, or name another directory",
        )


def _strangers(there: KeySource, nodes: set[str], source: KeySource) -> Iterator[str]:
    for entry in there.entries():
        key = entry.key
        if is_document(key) or _LITTER.fullmatch(split(key)[1]) or _is_chunk(key, nodes):
            continue
        if source.size(key) is None:
            yield printable(key)
    for remark in there.remarks():
        if remark.kind != "empty-directory":
            yield remark.key


def _is_chunk(key: str, nodes: set[str]) -> bool:
    path = split(key)[0]
    while path not in nodes:
        path = split(path)[0]
    return _CHUNK.fullmatch(key[len(path) + 1 if path else 0 :]) is not None


def require_harmless(target: str, source: str) -> None:
    """Refuse a directory whose replacement would take away more than itself.

    The root, the home and the current directory, what the source lies in, and places inside
    a source that is a directory. Raises UsageError.
    """
    real = os.path.realpath(target)
    kept = {
        "the root directory": os.path.abspath(os.sep),
        "the home directory": os.path.realpath(os.path.expanduser("~")),
        "the current directory": os.path.realpath(os.curdir),
        "the source": os.path.realpath(source),
    }
    for name, path in kept.items():
        if path == real or _lies_in(path, real):
            what = f"is {name}" if path == real else f"holds {name}"
            raise UsageError(
                f"{printable(target)}: {what}, and is never written over",
                hint="name a directory that does not exist yet",
            )
    if os.path.isdir(source) and _lies_in(real, kept["the source"]):
        raise UsageError(
            f"{printable(target)}: lies inside the source", hint="name a place outside of it"
        )


def _lies_in(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))
