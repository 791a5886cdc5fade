"""How `cat` prints values."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress

from zarrdb.cli.output import SCHEMA, Output, json_text
from zarrdb.errors import UsageError
from zarrdb.keys import KeySource, clamp, is_document, printable

Span = tuple[int, int | None]
"""Where to begin, from the end if it is negative, and how many bytes; None is all the rest."""

# A range longer than this is read in pieces of it: memory stays flat.
_PIECE = 4 << 20


def parse_span(text: str) -> Span:
    """What --range says. Raises UsageError."""
    start, colon, length = text.partition(":")
    try:
        span = int(start or "0"), int(length) if length else None
    except ValueError:
        colon = ""
    if not colon or (span[1] is not None and span[1] < 0):
        raise UsageError(
            f"--range: `{text}` is not START:LENGTH",
            hint="`0:16` is the first 16 bytes, `-16:` the last 16",
        )
    return span


def print_value(
    source: KeySource, key: str, span: Span | None, out: Output, *, force: bool
) -> None:
    """Print a value, or a span of it, byte for byte; documents indented on a terminal.

    Raises UsageError for binary data on a terminal, unless it is forced.
    """
    if not out.terminal or force:
        for piece in _pieces(source, key, span):
            out.data(piece)
        return
    pieces = _pieces(source, key, span)
    first = next(pieces, b"")
    if is_binary(first):
        raise UsageError(
            f"`{printable(key)}` holds binary data, which a terminal cannot show",
            hint="send it to a file or a program, or add --force",
        )
    if span is None and is_document(key):
        _print_document(first + b"".join(pieces), out)
        return
    out.data(first)
    for piece in pieces:
        out.data(piece)


def print_json(source: KeySource, key: str, span: Span | None, out: Output) -> None:
    """Print a value, or a span of it, as a JSON object on one line; flat in memory."""
    size = source.size(key) or 0
    start, end = (0, size) if span is None else clamp(size, *span)
    members: dict[str, object] = {"key": key, "bytes": size, "offset": start}
    if end - start <= _PIECE:
        data = b"".join(_pieces(source, key, span))
        with suppress(UnicodeDecodeError):
            out.json_line({**members, "encoding": "utf-8", "value": data.decode()})
            return
        pieces = iter((data,))
    else:
        pieces = _pieces(source, key, span)
    head = json_text({"schema": SCHEMA, **members, "encoding": "base64", "value": ""})
    out.line(head[:-2], end="")
    rest = b""
    for piece in pieces:
        whole = rest + piece
        # Groups of three bytes become four characters; only the last may be shorter.
        cut = len(whole) // 3 * 3
        out.data(b64encode(whole[:cut]))
        rest = whole[cut:]
    out.data(b64encode(rest))
    out.line('"}')


def show_attributes(path: str, attributes: Mapping[str, object], out: Output) -> None:
    """Print a node's attributes as JSON."""
    if out.json:
        out.json_line({"path": path, "attributes": attributes})
    else:
        out.line(json_text(attributes, indent=2))


def _print_document(data: bytes, out: Output) -> None:
    from zarrdb.cli.pretty import indented

    text = indented(data.decode("utf-8-sig", errors="replace"), out.width - 8)
    for line in text.split("\n"):
        out.line(printable(line))


def _pieces(source: KeySource, key: str, span: Span | None) -> Iterator[bytes]:
    if span is None:
        yield from source.stream(key)
        return
    start, end = clamp(source.size(key) or 0, *span)
    for offset in range(start, end, _PIECE):
        yield source.get_range(key, offset, min(_PIECE, end - offset)) or b""


def is_binary(data: bytes) -> bool:
    """Whether the bytes are no text, or such as could steer a terminal."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The end of a piece may cut a character in two.
        if error.start < len(data) - 3 or error.reason != "unexpected end of data":
            return True
        text = data[: error.start].decode()
    return any(not c.isprintable() and c not in "\n\r\t" for c in text)
