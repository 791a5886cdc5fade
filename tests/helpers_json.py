"""JSON texts written in every way that the grammar allows, with the place of every value."""

import json
from typing import Any

from hypothesis import strategies as st

BLANKS = st.text(" \t\n\r", max_size=3)
NAMES = st.text(max_size=6)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def escaped(step: str | int) -> str:
    """A step of a JSON pointer."""
    return str(step).replace("~", "~0").replace("/", "~1")


@st.composite
def written(draw: st.DrawFn, values: st.SearchStrategy[Any] = VALUES) -> tuple[str, dict[str, Any]]:
    """A text of a value, and for every pointer its start, end and where its member begins."""
    value = draw(values)
    parts: list[str] = []
    places: dict[str, tuple[int, int, int]] = {}
    ascii_only = draw(st.booleans())

    def put(text: str) -> None:
        parts.append(text)

    def length() -> int:
        return sum(map(len, parts))

    def write(value: Any, pointer: str, member: int | None) -> None:
        start = length()
        if isinstance(value, dict):
            put("{" + draw(BLANKS))
            for number, (name, inner) in enumerate(value.items()):
                put(("," if number else "") + draw(BLANKS))
                at = length()
                put(json.dumps(name, ensure_ascii=ascii_only) + draw(BLANKS) + ":" + draw(BLANKS))
                write(inner, f"{pointer}/{escaped(name)}", at)
                put(draw(BLANKS))
            put("}")
        elif isinstance(value, list):
            put("[" + draw(BLANKS))
            for number, inner in enumerate(value):
                put(("," if number else "") + draw(BLANKS))
                write(inner, f"{pointer}/{number}", None)
                put(draw(BLANKS))
            put("]")
        else:
            put(json.dumps(value, ensure_ascii=ascii_only))
        places[pointer] = (start, length(), start if member is None else member)

    put(draw(BLANKS))
    write(value, "", None)
    put(draw(BLANKS))
    return "".join(parts), places
