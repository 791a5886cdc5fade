"""Rules on the text of a metadata document: encoding, JSON, and what JSON cannot say."""

from collections.abc import Iterable, Iterator

from zarrdb.jsontext import CONSTANT, DUPLICATE, OVERFLOW, SURROGATE, Oddity
from zarrdb.jsontext.places import unquote
from zarrdb.keys import printable
from zarrdb.lint.document import Document
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import rule

_JSON = ("json/invalid", "json/wrong-encoding", "json/too-deep")
_SHOWN = 40


@rule("json/invalid", level="error", subject="document")
def invalid(document: Document) -> Iterator[Hit]:
    """A metadata document is not JSON.

    Why: no reader can open the node; siblings may become invisible with it. An empty
    document is what a crashed writer leaves, a Git LFS pointer what a clone without LFS
    has.

    Fix: correct the text at the given place, or restore the document.
    """
    fault = document.parsed.fault
    if fault is None or fault.kind not in ("empty", "invalid", "lfs-pointer"):
        return
    hint = "`git lfs pull` fetches the file" if fault.kind == "lfs-pointer" else None
    yield Hit(fault.message, hint, document.key, line=fault.line, column=fault.column)


@rule("json/wrong-encoding", level="error", subject="document")
def wrong_encoding(document: Document) -> Iterator[Hit]:
    """A metadata document is not UTF-8.

    Why: JSON is exchanged in UTF-8; readers refuse UTF-16, UTF-32 and Latin-1, or read other
    characters.

    Fix: write the document in UTF-8.
    """
    fault, encoding = document.parsed.fault, document.parsed.encoding
    if fault is not None and fault.kind == "wrong-encoding":
        yield Hit(fault.message, None, document.key, line=fault.line, column=fault.column)
    elif encoding == "utf-8-surrogates":
        yield Hit("not UTF-8: it holds encoded surrogates", None, document.key)
    elif encoding not in ("utf-8", "utf-8-sig", "unknown"):
        name = encoding.removesuffix("-sig").upper()
        yield Hit(f"encoded in {name}, not UTF-8", None, document.key)


@rule("json/byte-order-mark", level="warning", subject="document", fixable=True)
def byte_order_mark(document: Document) -> Iterator[Hit]:
    """A metadata document starts with a byte order mark.

    Why: many JSON parsers refuse it.

    Fix: remove the first three bytes; `--fix` does.
    """
    if document.parsed.encoding == "utf-8-sig":
        yield Hit("starts with a byte order mark", None, document.key, line=1, column=1)


@rule("json/too-deep", level="error", subject="document")
def too_deep(document: Document) -> Iterator[Hit]:
    """A metadata document is nested past 256 levels.

    Why: parsers run out of stack; some crash.

    Fix: store such attributes as text, or flatter.
    """
    fault = document.parsed.fault
    if fault is not None and fault.kind == "too-deep":
        yield Hit(fault.message, None, document.key, line=fault.line, column=fault.column)


@rule("json/not-an-object", level="error", subject="document", requires=_JSON)
def not_an_object(document: Document) -> Iterator[Hit]:
    """A metadata document is JSON, but no object.

    Why: every document of Zarr is an object, attributes included.

    Fix: restore the document.
    """
    value = document.parsed.value
    if not isinstance(value, dict):
        yield Hit(f"{_kind(value)} where an object is needed", None, document.key, line=1, column=1)


@rule("json/bare-constant", level="error", subject="document", requires=_JSON)
def bare_constant(document: Document) -> Iterator[Hit]:
    """`NaN` or `Infinity` without quotes in an array, group or consolidated document.

    Why: JSON has no such values; Python writes and reads them, most other parsers stop.

    Fix: as a fill value write the string, `"NaN"`, `"Infinity"` or `"-Infinity"`.
    """
    for odd in document.odd(CONSTANT, in_attributes=False):
        yield _hit(document, odd, f"{odd.text} is no JSON", f'write "{odd.text}"')


@rule("json/bare-constant-in-attributes", level="warning", subject="document", requires=_JSON)
def bare_constant_in_attributes(document: Document) -> Iterator[Hit]:
    """`NaN` or `Infinity` without quotes in attributes.

    Why: JSON has no such values; Python writes and reads them, most other parsers stop and
    take the node for broken.

    Fix: store a string or null.
    """
    for odd in document.odd(CONSTANT, in_attributes=True):
        yield _hit(document, odd, f"{odd.text} is no JSON", "many readers refuse the document")


@rule("json/overflowing-number", level="warning", subject="document", requires=_JSON)
def overflowing_number(document: Document) -> Iterator[Hit]:
    """A number that is too large for readers.

    Why: a number past the range of a double reads as infinity; an integer of thousands of
    digits stops some parsers.

    Fix: store a number that fits, or a string.
    """
    for odd in _anywhere(document, OVERFLOW):
        yield _hit(document, odd, f"{_short(odd.text)} reads as infinity or not at all")


@rule("json/duplicate-member", level="error", subject="document", requires=_JSON)
def duplicate_member(document: Document) -> Iterator[Hit]:
    """An object has a member twice.

    Why: which of them counts depends on the reader; most take the last.

    Fix: remove one.
    """
    for odd in document.odd(DUPLICATE, in_attributes=False):
        yield _duplicate(document, odd)


@rule("json/duplicate-attribute", level="warning", subject="document", requires=_JSON)
def duplicate_attribute(document: Document) -> Iterator[Hit]:
    """Attributes have a member twice.

    Why: which of them counts depends on the reader; most take the last.

    Fix: remove one.
    """
    for odd in document.odd(DUPLICATE, in_attributes=True):
        yield _duplicate(document, odd)


@rule("json/lone-surrogate", level="warning", subject="document", requires=_JSON)
def lone_surrogate(document: Document) -> Iterator[Hit]:
    """A string holds half of a surrogate pair.

    Why: it stands for no character; many parsers refuse or replace it.

    Fix: remove it, or write the whole pair.
    """
    for odd in _anywhere(document, SURROGATE):
        what = "its name" if unquote(odd.text) == _name(odd) else "a string"
        yield _hit(document, odd, f"{what} holds half of a surrogate pair")


def _anywhere(document: Document, kind: str) -> Iterable[Oddity]:
    if kind not in document.parsed.odd:
        return ()
    return [each for each in document.oddities if each.kind == kind]


def _duplicate(document: Document, odd: Oddity) -> Hit:
    message = f"member `{printable(_name(odd))}` twice: {_short(odd.text)} here"
    if odd.other is not None:
        place = f"{odd.other.line}:{odd.other.column}"
        message += f", {_short(odd.other_text)} at {place}"
    return _hit(document, odd, message, "which of them counts depends on the reader")


def _name(odd: Oddity) -> str:
    return odd.place.pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")


def _hit(document: Document, odd: Oddity, message: str, hint: str | None = None) -> Hit:
    place = odd.place
    return Hit(
        message,
        hint,
        document.key,
        pointer=place.pointer,
        line=place.line,
        column=place.column,
    )


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, list):
        return "a list"
    return "a string" if isinstance(value, str) else "a number"
