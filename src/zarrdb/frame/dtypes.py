"""The data type written in a b2nd metalayer, read without running anything."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

_KINDS = frozenset("biufcmMSUV")
"""NumPy's kinds whose items are plain bytes; `O` and `T` hold pointers."""

# Structured types of thousands of fields are real; a longer text is an attack on the parser.
_MAX_TEXT = 1 << 16


def parse_dtype(text: str) -> "np.dtype[Any]":
    """The NumPy data type of a dtype string, or of the repr of a structured type.

    Raises ValueError for anything else, and for types that hold pointers.
    """
    import numpy as np

    if len(text) > _MAX_TEXT:
        raise ValueError("text of more than 64 KiB")
    if not text.isprintable():
        # NumPy takes control characters for the numbers of its types.
        raise ValueError("no data type of NumPy")
    try:
        dtype = np.dtype(_literal(text) if text[:1] in "[({" else text)
    except Exception as error:
        # NumPy raises TypeError, ValueError, SyntaxError, OverflowError and others here.
        raise ValueError("no data type of NumPy") from error
    if dtype.hasobject or dtype.kind not in _KINDS:
        raise ValueError("its items are objects, not bytes")
    if dtype.subdtype is not None or dtype.itemsize == 0:
        raise ValueError("its items have no bytes or a shape of their own")
    return dtype


def _literal(text: str) -> "Any":
    from ast import literal_eval

    return literal_eval(text)


def format_dtype(dtype: "np.dtype[Any]") -> str:
    """The text that `parse_dtype` reads back, as blosc2 writes it."""
    return str(dtype) if dtype.kind == "V" else dtype.str


def describe_dtype(dtype: "np.dtype[Any]") -> str | list[object]:
    """The data type as a `.zarray` writes it: a typestring, or a list of fields."""
    if not dtype.names:
        return dtype.str
    fields: list[object] = []
    for name in dtype.names:
        item, shape = dtype[name].subdtype or (dtype[name], ())
        fields.append([name, describe_dtype(item), *([list(shape)] if shape else [])])
    return fields
