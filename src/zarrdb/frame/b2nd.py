"""The b2nd metalayer: what makes the chunks of a frame an array.

Layout: c-blosc2's README_B2ND_METALAYER. It is MessagePack, but read and written at fixed
places, because 16 dimensions are stored as 0x90 + 16, which is the mark of a string.
"""

from struct import Struct
from struct import error as StructError  # noqa: N812 (a class)
from typing import TYPE_CHECKING

from zarrdb.frame.dtypes import format_dtype, parse_dtype
from zarrdb.frame.geometry import Geometry

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

MAX_DIMENSIONS = 16

_SEVEN_ITEMS, _FIVE_ITEMS = 0x97, 0x95
"""Before 2.0 there was no data type: the items were bytes."""
_LIST = 0x90
_MARKS = {"q": 0xD3, "i": 0xD2}
_TEXT = Struct(">BBI")
_TEXT_MARK = 0xDB


def parse_b2nd(content: bytes) -> tuple[Geometry, "np.dtype[Any]"]:
    """Geometry and data type; raises ValueError for what cannot be read."""
    try:
        items, version, ndim = content[:3]
        if items not in (_SEVEN_ITEMS, _FIVE_ITEMS) or ndim > MAX_DIMENSIONS:
            raise ValueError
        shape, position = _integers(content, 3, ndim, "q")
        chunks, position = _integers(content, position, ndim, "i")
        blocks, position = _integers(content, position, ndim, "i")
        dtype_format, text = 0, "|u1"
        if items == _SEVEN_ITEMS:
            dtype_format, mark, length = _TEXT.unpack_from(content, position)
            text = content[position + _TEXT.size :].decode()
            if mark != _TEXT_MARK or position + _TEXT.size + length != len(content):
                raise ValueError
    except (ValueError, StructError) as error:
        raise ValueError("the b2nd metalayer cannot be read") from error
    if version != 0 or dtype_format != 0:
        raise ValueError(
            f"a b2nd metalayer of version {version} with data types of format {dtype_format}"
            " is not known"
        )
    try:
        dtype = parse_dtype(text)
    except ValueError as error:
        raise ValueError(f"data type {text[:60]!r}: {error}") from error
    return Geometry(shape, chunks, blocks, dtype.itemsize), dtype


def _list_struct(count: int, kind: str) -> Struct:
    return Struct(f">B{f'B{kind}' * count}")


def _integers(content: bytes, position: int, count: int, kind: str) -> tuple[tuple[int, ...], int]:
    """A list of integers of one width, each behind its mark, and the place behind it."""
    layout = _list_struct(count, kind)
    first, *rest = layout.unpack_from(content, position)
    if first != _LIST + count or rest[::2] != [_MARKS[kind]] * count:
        raise ValueError
    return tuple(rest[1::2]), position + layout.size


def format_b2nd(geometry: Geometry, dtype: "np.dtype[Any]") -> bytes:
    """The content of the metalayer."""
    ndim = len(geometry.shape)
    text = format_dtype(dtype).encode()
    parts = [bytes((_SEVEN_ITEMS, 0, ndim))]
    for kind, numbers in (("q", geometry.shape), ("i", geometry.chunks), ("i", geometry.blocks)):
        marked = [part for number in numbers for part in (_MARKS[kind], number)]
        parts.append(_list_struct(ndim, kind).pack(_LIST + ndim, *marked))
    return b"".join((*parts, _TEXT.pack(0, _TEXT_MARK, len(text)), text))
