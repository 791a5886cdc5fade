"""Consolidated metadata written anew from the documents that it is a copy of."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from zarrdb import jsontext

_INSIDE: Final = "/consolidated_metadata/metadata"


def recopied(key: str, data: bytes, documents: Mapping[str, bytes]) -> bytes:
    """A `.zmetadata`, or a `zarr.json` with its inline copy, that fits the documents.

    `documents` are all below its group, the group's own included, by key. Each is copied as it
    is written, but for fill values that are no JSON, and of the copy's own document only the
    entries change.
    """
    folder, _, name = key.rpartition("/")
    prefix = f"{folder}/" if folder else ""
    if name == ".zmetadata":
        entries = {k.removeprefix(prefix): v for k, v in documents.items() if _is_v2(k)}
        return _with_named_floats(name, jsontext.splice(data, {"/metadata": _object(entries)}))
    entries = {
        k.removeprefix(prefix).removesuffix("/zarr.json"): _without_copy(v)
        for k, v in documents.items()
        if k.endswith("/zarr.json") and k != key
    }
    return _with_named_floats(name, jsontext.splice(data, {_INSIDE: _object(entries)}))


def _with_named_floats(name: str, data: bytes) -> bytes:
    """The copy with the names of NaN and infinities as fill values: one array with a bare token
    would take every node from readers that are strict."""
    from zarrdb.metadata.repair import NON_FINITE_FILL_VALUE
    from zarrdb.metadata.v2.repair import repairs as repairs_v2
    from zarrdb.metadata.v3.repair import repairs as repairs_v3

    value: Any = jsontext.parse(data).value
    made = repairs_v2(name, value) if name == ".zmetadata" else repairs_v3(value)
    named = [each for each in made if each.kind == NON_FINITE_FILL_VALUE]
    return jsontext.splice(
        data, {jsontext.pointer(each.loc): json.dumps(each.value).encode() for each in named}
    )


def _is_v2(key: str) -> bool:
    return key.rpartition("/")[2] in (".zarray", ".zgroup", ".zattrs")


def _without_copy(data: bytes) -> bytes:
    """A document without a copy of its own inside."""
    value: Any = jsontext.parse(data).value
    if isinstance(value, dict) and "consolidated_metadata" in value:
        return jsontext.splice(data, {"/consolidated_metadata": None})
    return data


def _object(entries: Mapping[str, bytes]) -> bytes:
    return ("{" + ", ".join(_members(entries)) + "}").encode()


def _members(entries: Mapping[str, bytes]) -> Iterator[str]:
    for name in sorted(entries):
        text = jsontext.decode(entries[name]).text
        # What cannot be read has no place in a copy.
        if text is not None and jsontext.parse(entries[name]).fault is None:
            yield f"{json.dumps(name)}: {text.strip()}"
