"""From bytes to text: encodings, byte order marks, and positions."""

from collections.abc import Iterable
from typing import Final, NamedTuple

BLANKS: Final = " \t\n\r"
"""What JSON allows between tokens."""

# The mark of UTF-32-LE begins like that of UTF-16-LE and is tried first.
_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


class Fault(NamedTuple):
    """Why a document has no value.

    `kind` is `empty`, `invalid`, `wrong-encoding`, `too-deep` or `lfs-pointer`. `offset`
    counts bytes for `wrong-encoding`, else code points.
    """

    kind: str
    message: str
    """Reads on after the name of the document: `is not JSON: a comma before }`."""
    offset: int
    line: int
    column: int

    @property
    def summary(self) -> str:
        """The message up to its colon."""
        return self.message.partition(": ")[0]


class Text(NamedTuple):
    """A document as text, without its byte order mark of `mark` bytes.

    `encoding` is `utf-8`, `utf-8-sig` (there is a mark), `utf-8-surrogates` (halves of pairs
    encoded as if they were characters), `utf-16-le` …; `text` is None when there is a fault.
    """

    text: str | None
    encoding: str
    mark: int = 0
    fault: Fault | None = None

    def encode(self, text: str) -> bytes:
        """Other text in the same encoding, without a mark."""
        return text.encode(_codec(self.encoding), "surrogatepass")


def decode(data: bytes) -> Text:
    """The text of a document.

    UTF-16 and UTF-32 are recognised by a mark, or by the zeros that they put between the
    first characters; everything else has to be UTF-8.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_as(data, encoding, len(mark))
    if 0 in data[:2] and data.strip(b"\0"):
        return _decode_as(data, _encoding_by_zeros(data), 0)
    return _decode_as(data, "utf-8", 0)


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of a code point, both from 1; only `\\n` ends a line."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def pointer(steps: Iterable[str | int]) -> str:
    """The JSON pointer (RFC 6901) of a path of member names and indexes."""
    return "".join("/" + str(s).replace("~", "~0").replace("/", "~1") for s in steps)


def fault_at(kind: str, message: str, text: str, offset: int) -> Fault:
    """A fault at a code point of the text."""
    return Fault(kind, message, offset, *position(text, offset))


def has_lone_surrogate(text: str) -> bool:
    """Whether half of a surrogate pair stands alone, so that the text cannot be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _codec(encoding: str) -> str:
    return "utf-8" if encoding.startswith("utf-8") else encoding


def _encoding_by_zeros(data: bytes) -> str:
    if not data[0]:
        return "utf-16-be" if data[1] else "utf-32-be"
    return "utf-16-le" if any(data[2:4]) else "utf-32-le"


def _decode_as(data: bytes, encoding: str, mark: int) -> Text:
    codec, body = _codec(encoding), data[mark:]
    try:
        return Text(body.decode(codec), encoding, mark)
    except UnicodeDecodeError as error:
        first = error
    try:
        text = body.decode(codec, "surrogatepass")
    except UnicodeDecodeError:
        before = body[: first.start].decode(codec, "replace")
        offset = mark + first.start
        name = codec.upper()
        message = f"is not {name}: byte {data[offset]:#04x} at offset {offset:,}"
        if first.reason in ("unexpected end of data", "truncated data"):
            message = f"is not {name}: it ends in the middle of a character"
        fault = Fault("wrong-encoding", message, offset, *position(before, len(before)))
        return Text(None, encoding, mark, fault)
    return Text(text, "utf-8-surrogates" if encoding == "utf-8" else encoding, mark)
