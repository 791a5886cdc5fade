"""What this Python can really decode, as a `[tool.zarrdb.scope]` table.

The registries of numcodecs (Zarr 2) and of zarr-python (Zarr 3) are asked, and the packages
behind their entries are loaded: an entry whose package is missing decodes nothing.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final

from zarrdb.metadata.v2.definition import CORE_V2
from zarrdb.metadata.v3.definition import CORE_V3

_UNSAFE: Final = "pickle"
_WRAPPED: Final = "numcodecs."
"""What zarr-python calls codecs of numcodecs in Zarr 3."""

_DRAFT: Final = "endian"
"""What a draft of Zarr 3 called `bytes`; zarr-python still reads it, and a rule names it."""

_BESIDE_CORE: Final = ("vlen-utf8", "vlen-bytes")
"""What zarr-python brings itself that the core has not."""

_EXAMPLES: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "r*": "r16",
        "numpy.datetime64": {
            "name": "numpy.datetime64",
            "configuration": {"unit": "s", "scale_factor": 1},
        },
        "numpy.timedelta64": {
            "name": "numpy.timedelta64",
            "configuration": {"unit": "s", "scale_factor": 1},
        },
        "struct": {
            "name": "struct",
            "configuration": {"fields": [{"name": "a", "data_type": "int8"}]},
        },
    }
)
"""A data type of each name that needs a configuration."""


def installed_table() -> Mapping[str, Any]:
    """The table: what of the core can be decoded, and what can be beside it."""
    numcodecs = _codecs_of_numcodecs()
    return {"v2": _version_2(numcodecs), "v3": _version_3(numcodecs)}


def _version_2(found: Iterable[str]) -> dict[str, Any]:
    core = _named(CORE_V2, "codecs")
    more = sorted({*found} - core)
    return {"only": sorted(core & {*found}), "codecs": {name: {"open": True} for name in more}}


def _version_3(numcodecs: Iterable[str]) -> dict[str, Any]:
    codecs = {
        name: kind
        for name, kind in _codecs_of_zarr().items()
        if not name.startswith(_WRAPPED) or name.removeprefix(_WRAPPED) in numcodecs
    }
    core = _named(CORE_V3, "codecs")
    types = _named(CORE_V3, "data_types")
    return {
        "only": [*sorted(core & codecs.keys()), *filter(_reads_data_type, sorted(types))],
        "codecs": {
            name: {"open": True, "kind": kind}
            for name, kind in sorted(codecs.items())
            if name not in core
        },
        "data_types": {
            name: {"open": True} for name in sorted(_data_types_of_zarr()) if name not in types
        },
    }


def _named(scope: Any, slot: str) -> set[str]:
    return set(scope.definitions_of(scope.kinds[slot]))


def _codecs_of_numcodecs() -> frozenset[str]:
    from numcodecs.registry import codec_registry, entries

    names = {*codec_registry}
    for name, entry in entries.items():
        # Whatever keeps a package from being loaded keeps its codec from decoding.
        with suppress(Exception):
            entry.load()
            names.add(name)
    return frozenset(names - {_UNSAFE})


def _codecs_of_zarr() -> dict[str, str]:
    """The codecs that zarr-python has, each with its place in a pipeline."""
    from importlib.metadata import entry_points

    from zarr.registry import get_codec_class

    found = {}
    wrapped = (_WRAPPED + name for name in _codecs_of_numcodecs())
    others = (entry.name for entry in entry_points(group="zarr.codecs"))
    for name in {*_named(CORE_V3, "codecs"), *_BESIDE_CORE, *wrapped, *others} - {_DRAFT}:
        # It may have none, or its package cannot be loaded.
        with suppress(Exception):
            found[name] = _place_of(get_codec_class(name))
    return found


def _place_of(codec: type) -> str:
    from zarr.abc.codec import ArrayArrayCodec, ArrayBytesCodec

    if issubclass(codec, ArrayArrayCodec):
        return "array_array"
    return "array_bytes" if issubclass(codec, ArrayBytesCodec) else "bytes_bytes"


def _data_types_of_zarr() -> set[str]:
    from zarr.dtype import data_type_registry

    return {*data_type_registry.contents}


def _reads_data_type(name: str) -> bool:
    from zarr.dtype import data_type_registry

    try:
        data_type_registry.match_json(_EXAMPLES.get(name, name), zarr_format=3)
    except ValueError:
        return False
    return True
