"""JSON text indented for eyes, every number and string left as it is written."""

import re

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+|"')


def indented(text: str, width: int) -> str:
    """The text with a line a member; arrays and objects that fit the width on one line.

    Works on the text alone: duplicates, NaN, long numbers and mistakes stay as they are.
    """
    words: list[str] = _WORD.findall(text)
    ends = _flat_ends(words, width)
    lines: list[str] = []
    line, depth, position = "", 0, 0
    while position < len(words):
        word = words[position]
        if position in ends:
            line += _flat(words[position : ends[position] + 1])
            position = ends[position]
        elif word in "[{":
            lines.append(line + word)
            depth += 1
            line = "  " * depth
        elif word in "]}":
            if line.strip():
                lines.append(line)
            depth = max(depth - 1, 0)
            line = "  " * depth + word
        elif word == ",":
            lines.append(line + word)
            line = "  " * depth
        else:
            line += ": " if word == ":" else word
        position += 1
    return "\n".join([*lines, line])


def _flat(words: list[str]) -> str:
    spaced = {",": ", ", ":": ": "}
    return "".join(spaced.get(word, word) for word in words)


def _flat_ends(words: list[str], width: int) -> dict[int, int]:
    """Where brackets that hold only scalars and fit on a line open and close."""
    ends: dict[int, int] = {}
    opened: int | None = None
    size = 0
    for position, word in enumerate(words):
        if word in "[{":
            opened, size = position, 0
        elif word in "]}" and opened is not None:
            if size <= width and words[opened] + word in ("[]", "{}"):
                ends[opened] = position
            opened = None
        size += len(word) + 1
    return ends
