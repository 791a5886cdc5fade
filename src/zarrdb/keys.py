"""Keys, and the protocol that everything stands on: a source of keys and values.

A key is a Unicode string, never normalised; components are joined by `/`. The rules of
validity are those of the SQLiteStore format (section "Table zarr"), which are also the
Zarr v3 core specification's.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from zarrdb.errors import InvalidKeyError
from zarrdb.spec import DOCUMENT_NAMES


class Entry(NamedTuple):
    """A key and the size of its value in bytes."""

    key: str
    size: int


class Child(NamedTuple):
    """A name directly below a prefix; it may be a key, a prefix of keys, or both."""

    name: str
    is_key: bool
    is_prefix: bool


class Remark(NamedTuple):
    """Something in a source that does not fit a key and a value.

    `kind` is a stable slug, among them: `blob-key` `number-key` `null-key`
    `not-unicode-key` `duplicate-key` `text-value` `number-value` `null-value`
    `superseded-member` `link-outside` `link-broken` `link-loop` `special-file`
    `link-refused` `unreadable-file` `name-not-unicode` `empty-directory` `junk`
    `outer-folder` `outside-root` `not-a-name` `too-large`.
    `key` is printable (escaped where it has to be); `detail` ends the sentence.
    """

    kind: str
    key: str
    detail: str = ""


@runtime_checkable
class KeySource(Protocol):
    """Keys and values, wherever they are: a file, a directory, an archive, a server.

    Prefixes are `""` or end with `/`. Iterators are lazy and hold no more than a batch.
    """

    kind: str
    """`zarrdb`, `directory`, `zip`, `legacy` (zarr-python 2's SQLite), `tar`, `remote`."""
    name: str
    """What to call it in messages; no secret of a URL in it."""

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order of the whole key, past `after`."""
        ...

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        ...

    def get(self, key: str) -> bytes | None:
        """The whole value, or None if there is no such key."""
        ...

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given."""
        ...

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        ...

    def stream(self, key: str, chunk_size: int = ...) -> Iterator[bytes]:
        """The value piece by piece, in flat memory. Raises NotFoundError."""
        ...

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key; nothing is read."""
        ...

    def remarks(self) -> Iterator[Remark]:
        """What does not fit; may need a pass over all keys."""
        ...

    def close(self) -> None:
        """Give back files and connections; a second call does nothing."""
        ...


@runtime_checkable
class FarSource(Protocol):
    """A source far away, which has its keys together and the sizes of values all over."""

    opening_requests: int
    """What opening it cost."""
    index_limit: int
    """Bytes of keys that are fetched only to count them."""

    def keys_at_hand(self, prefix: str = "") -> Iterator[str] | None:
        """The keys below `prefix` in code-point order; None where they are over the limit."""
        ...


def is_valid(key: str) -> bool:
    """Whether the format allows the key; the empty string is valid."""
    return not (key.startswith("/") or key.endswith("/") or "//" in key)


def key_fault(key: str) -> str | None:
    """Why the format forbids the key, as the end of a sentence; None for a valid one."""
    if is_valid(key):
        return None
    if key.startswith("/"):
        return "starts with `/`"
    return "ends with `/`" if key.endswith("/") else "contains `//`"


def require_valid(key: str) -> None:
    """Raise InvalidKeyError, naming the rule, for a key that the format forbids."""
    if not is_valid(key):
        raise InvalidKeyError(
            f"invalid key {printable(key)}: it {key_fault(key)}",
            hint="Zarr keys are names joined by single slashes, like `a/c/0/0`",
        )


def is_document(key: str) -> bool:
    """Whether the key is that of a metadata document, by its last component."""
    return key.rpartition("/")[2] in DOCUMENT_NAMES


def split(key: str) -> tuple[str, str]:
    """The node path (`""` for the root) and the last component."""
    path, _, name = key.rpartition("/")
    return path, name


def join(path: str, name: str) -> str:
    """The key of `name` below the node path (`""` for the root)."""
    return f"{path}/{name}" if path else name


def as_prefix(path: str) -> str:
    """The prefix of everything below a node path; the root's is the empty string."""
    return f"{path}/" if path else ""


def clamp(size: int, offset: int, length: int | None) -> tuple[int, int]:
    """Start and end of the bytes that `get_range` gives of a value of `size` bytes."""
    start = max(0, size + offset) if offset < 0 else min(offset, size)
    end = size if length is None else min(size, start + max(0, length))
    return start, end


def printable(text: str) -> str:
    """The text with control characters, surrogates and other unprintables escaped.

    What a terminal or a log can show on one line, and cannot be steered by.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
