"""The metadata documents of a source, and those of one node."""

from typing import Any, Final, NamedTuple

from zarrdb import jsontext
from zarrdb.errors import ContainerError, SourceError
from zarrdb.keys import KeySource, join

MAX_DOCUMENT: Final = 64 << 20
"""Bytes of the largest document that is read as one: no real one comes near, and a value of
gigabytes under such a name must not take the memory."""

_NAMES: Final = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")
_UNREADABLE: Final = (ContainerError, SourceError)


class Document(NamedTuple):
    """One document of a node; `value` is None when there is a `problem`."""

    size: int
    value: dict[str, Any] | None
    problem: str | None = None
    """Reads on after its name: `is not JSON (3:9)`."""


def has_documents(source: KeySource, path: str) -> bool:
    """Whether any document lies at a node path."""
    if source.kind == "remote":
        return bool(_fetched(source, path))
    return any(source.size(join(path, name)) is not None for name in _NAMES)


def node_documents(source: KeySource, path: str) -> dict[str, Document]:
    """The documents at a node path by their names, read; consolidated copies are not."""
    if source.kind == "remote":
        return _fetched(source, path)
    sizes = {name: source.size(join(path, name)) for name in _NAMES}
    found: dict[str, Document] = {}
    wanted: list[str] = []
    for name, size in sizes.items():
        if size is None:
            continue
        found[name] = Document(size, None)
        if size > MAX_DOCUMENT:
            found[name] = Document(size, None, f"is larger than {MAX_DOCUMENT >> 20} MiB")
        elif name != ".zmetadata":
            wanted.append(name)
    try:
        values = list(source.get_many([join(path, name) for name in wanted]))
    except _UNREADABLE:
        # One of them; the others are read all the same.
        return found | {name: _read_alone(source, join(path, name)) for name in wanted}
    for name, (_, data) in zip(wanted, values, strict=True):
        found[name] = _read(data)
    return found


def _fetched(source: KeySource, path: str) -> dict[str, Document]:
    """The same from far away, where asking for a size takes as long as fetching a document."""
    names = [name for name in _NAMES if name != ".zmetadata"]
    values = source.get_many([join(path, name) for name in names])
    found = {n: _read(data) for n, (_, data) in zip(names, values, strict=True) if data is not None}
    if not found and (size := source.size(join(path, ".zmetadata"))) is not None:
        found[".zmetadata"] = Document(size, None)
    return found


def _read_alone(source: KeySource, key: str) -> Document:
    try:
        return _read(source.get(key))
    except _UNREADABLE as error:
        return Document(source.size(key) or 0, None, f"cannot be read: {error}")


def _read(data: bytes | None) -> Document:
    if data is None:
        return Document(0, None, "vanished while it was read")
    value, fault, _, _ = jsontext.parse(data)
    if fault is not None:
        where = f" ({fault.line}:{fault.column})" if fault.kind != "lfs-pointer" else ""
        return Document(len(data), None, fault.summary + where)
    if not isinstance(value, dict):
        return Document(len(data), None, "is no JSON object")
    return Document(len(data), value)
