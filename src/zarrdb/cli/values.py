"""How `cat` prints values."""

from collections.abc import Iterator

from zarrdb.cli.output import Output
from zarrdb.errors import UsageError
from zarrdb.keys import KeySource, is_document, printable

Span = tuple[int, int | None]
"""Where to begin, from the end if it is negative, and how many bytes; None is all the rest."""

# A range longer than this is read in pieces of it: memory stays flat.
_PIECE = 4 << 20


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


def _print_document(data: bytes, out: Output) -> None:
    from zarrdb.cli.pretty import indented

    text = indented(data.decode("utf-8-sig", errors="replace"), out.width - 8)
    for line in text.split("\n"):
        out.line(printable(line))


def _pieces(source: KeySource, key: str, span: Span | None) -> Iterator[bytes]:
    if span is None:
        yield from source.stream(key)
        return
    size = source.size(key) or 0
    start, length = span
    start = max(size + start, 0) if start < 0 else min(start, size)
    end = size if length is None else min(start + length, size)
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
