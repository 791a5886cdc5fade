"""The parts of a new frame as bytes: header and trailer, around chunks that are stored."""

from collections.abc import Mapping
from struct import Struct
from typing import TYPE_CHECKING

from zarrdb.frame.b2nd import format_b2nd
from zarrdb.frame.geometry import Geometry
from zarrdb.frame.header import FIXED_LENGTH, MAGIC, Compression

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

MAX_NAME = 31
"""Bytes of the name of a metalayer or attribute."""
MAX_LIST = (1 << 16) - 1
"""Bytes of the list of their places; 6 and the name for each."""

_FIXED = Struct(">BiBQB4sBqBqBiBiBiBhBhBBB16s")
_TRAILER_END = Struct(">BIBB16x")
_ENTRY = Struct(">Bi")
_SHORT = Struct(">BH")
_LONG = Struct(">BI")

_ORDINARY = 0x12
"""Version 2 of the format, offsets of 64 bits."""
_EMPTY = 0x53
"""Version 3, chunks of no fixed size: how arrays without items are stored."""
_USER_CODECS = 6


def header(
    geometry: Geometry,
    dtype: "np.dtype[Any]",
    compression: Compression,
    *,
    cbytes: int = 0,
    frame_len: int = 0,
    has_attributes: bool = False,
) -> bytes:
    """The header; its length does not depend on the sizes that come last."""
    stored = bool(geometry.nchunks)
    codec = min(compression.codec, _USER_CODECS)
    flags = (_ORDINARY if stored else _EMPTY, 0, codec | compression.level << 4)
    extension = (
        *compression.filters,
        *(compression.codec, compression.codec_meta),
        *compression.filters_meta,
        *(compression.use_dict, 0),
    )
    metalayers = section({"b2nd": format_b2nd(geometry, dtype)}, FIXED_LENGTH, counted=1)
    fixed = _FIXED.pack(
        *(0xD2, FIXED_LENGTH + len(metalayers)),
        *(0xCF, frame_len),
        *(0xA4, bytes((*flags, compression.split_mode - 1))),
        *(0xD3, geometry.nchunks * geometry.chunk_nbytes),
        *(0xD3, cbytes),
        *(0xD2, geometry.itemsize),
        *(0xD2, geometry.block_nbytes * stored),
        *(0xD2, geometry.chunk_nbytes * stored),
        *(0xD1, 1, 0xD1, 1),
        *(0xC3 if has_attributes else 0xC2, 0xD8, 6),
        bytes(extension),
    )
    return MAGIC + fixed + metalayers


def trailer(attributes: Mapping[str, bytes]) -> bytes:
    """The trailer, with the stored values of the attributes."""
    content = b"\x94\x01" + section(attributes, 2)
    return content + _TRAILER_END.pack(0xCE, len(content) + _TRAILER_END.size, 0xD8, 0)


def list_length(contents: Mapping[str, bytes]) -> int:
    """Bytes of the list of the places of named byte strings."""
    return 2 * _SHORT.size + sum(1 + len(name.encode()) + _ENTRY.size for name in contents)


def section(contents: Mapping[str, bytes], at: int, *, counted: int = 0) -> bytes:
    """Named byte strings behind the list of their places; the section starts at byte `at`.

    `counted` is what its length field counts beyond itself and the list.
    """
    names = [name.encode() for name in contents]
    length = list_length(contents)
    place = at + 1 + length + _SHORT.size
    parts = [b"\x93", _SHORT.pack(0xCD, length + counted), _SHORT.pack(0xDE, len(names))]
    for name, content in zip(names, contents.values(), strict=True):
        parts += (bytes((0xA0 + len(name),)), name, _ENTRY.pack(0xD2, place))
        place += _LONG.size + len(content)
    parts.append(_SHORT.pack(0xDC, len(names)))
    for content in contents.values():
        parts += (_LONG.pack(0xC6, len(content)), content)
    return b"".join(parts)
