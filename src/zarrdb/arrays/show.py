"""Decoded values as text, CSV, JSON, NPY or plain bytes, a block at a time."""

import base64
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from zarrdb.arrays.view import View
from zarrdb.errors import UsageError


def _rows(view: View, line: Callable[[list[Any]], str]) -> Iterator[bytes]:
    """A line for each run along the last axis; of one axis alone, a line for each value."""
    width = view.shape[-1] if len(view.shape) > 1 else 1
    for block in view.blocks():
        # An array of no columns has lines all the same.
        rows = block.reshape(-1, width) if width else [[]] * math.prod(view.shape[:-1])
        yield "".join(line([_plain(value) for value in row]) + "\n" for row in rows).encode()


def text(view: View) -> Iterator[bytes]:
    """Values separated by blanks."""
    return _rows(view, lambda row: " ".join(_word(value) for value in row))


def csv(view: View) -> Iterator[bytes]:
    """Values separated by commas, quoted where they have to be (RFC 4180)."""
    from csv import writer

    def line(row: list[Any]) -> str:
        out = io.StringIO()
        writer(out, lineterminator="").writerow(_word(value) for value in row)
        return out.getvalue()

    return _rows(view, line)


def as_json(view: View) -> Iterator[bytes]:
    """Nested lists; what JSON has no number for is text: "NaN", "Infinity", "-Infinity"."""
    if not view.shape:
        for block in view.blocks():
            yield (json.dumps(_plain(block[()])) + "\n").encode()
        return
    yield b"["
    comma = b""
    for block in view.blocks():
        for row in block:
            nested = _nested(row)
            yield comma + json.dumps(nested, ensure_ascii=False, allow_nan=False).encode()
            comma = b",\n"
    yield b"]\n"


def npy(view: View) -> Iterator[bytes]:
    """The file format of numpy.save, in C order."""
    import numpy as np

    dtype = _without_objects(view)
    header = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": view.shape,
    }
    out = io.BytesIO()
    try:
        np.lib.format.write_array_header_1_0(out, header)
    except ValueError:
        # Only a record of very many fields has a header that long.
        out = io.BytesIO()
        np.lib.format.write_array_header_2_0(out, header)
    yield out.getvalue()
    yield from raw(view)


def raw(view: View) -> Iterator[bytes]:
    """The bytes of the items, in C order and in the array's byte order."""
    dtype = _without_objects(view)
    for block in view.blocks():
        yield block.astype(dtype, copy=False).tobytes()


FORMATS: Final[Mapping[str, Callable[[View], Iterator[bytes]]]] = MappingProxyType(
    {"text": text, "csv": csv, "json": as_json, "npy": npy, "raw": raw}
)
BINARY: Final = frozenset({"npy", "raw"})


def _without_objects(view: View) -> Any:
    if view.dtype.hasobject or view.dtype.kind == "T":
        raise UsageError(
            "values of variable length have no bytes of their own",
            hint="--format json, text or csv",
        )
    return view.dtype


def _nested(row: Any) -> Any:
    if getattr(row, "ndim", 0):
        return [_nested(each) for each in row]
    return _plain(row[()] if hasattr(row, "ndim") else row)


def _plain(value: Any) -> Any:
    """A NumPy scalar as JSON knows it."""
    import numpy as np

    if isinstance(value, np.datetime64 | np.timedelta64):
        return str(value)
    if isinstance(value, np.floating) and value.itemsize < 8:
        # The shortest number that reads back as the same.
        value = float(str(value))
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, complex):
        return [_plain(value.real), _plain(value.imag)]
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _word(value: Any) -> str:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
