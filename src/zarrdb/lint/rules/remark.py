"""Rules on what fits no key and value: rows of other types, links, files that cannot be read.

Each is fed the remarks of a source whose kind is among its reasons.
"""

from typing import Final

from zarrdb.keys import Remark
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import declaration

_MESSAGES: Final = {
    "blob-key": "the key is stored as a BLOB, not as text",
    "number-key": "the key is stored as a number, not as text",
    "null-key": "the key is NULL",
    "not-unicode-key": "the key is not valid Unicode text",
    "name-not-unicode": "the name is not valid Unicode text",
    "duplicate-key": "the key is stored more than once",
    "text-value": "the value is stored as TEXT, not as a BLOB",
    "number-value": "the value is stored as a number, not as a BLOB",
    "null-value": "the value is NULL, not a BLOB",
    "unreadable-file": "cannot be read",
    "link-broken": "a link that leads nowhere",
    "link-loop": "a link that leads to a directory that it lies in",
    "link-outside": "a link that leads out of the store",
    "special-file": "neither a file nor a directory",
}

# Where what the source says of it is more than the sentence has already.
_DETAILED: Final = frozenset({"duplicate-key", "unreadable-file", "special-file"})


@declaration(
    "key/not-text",
    level="error",
    subject="key",
    reasons=("blob-key", "number-key", "null-key"),
)
def not_text() -> None:
    """A key that is not stored as text.

    Why: a BLOB, a number or NULL in `k` is never equal to a text, so no reader finds the
    value under the key that it seems to have.

    Fix: store the value under the text key and delete the row.
    """


@declaration(
    "key/not-unicode",
    level="error",
    subject="key",
    requires=("key/not-text",),
    reasons=("not-unicode-key",),
)
def not_unicode() -> None:
    """A key that is no Unicode text.

    Why: broken UTF-8 or UTF-16, overlong forms and lone surrogates cannot be given out as
    text; one such row makes whole listings fail in other programs.

    Fix: store the value under a valid key and delete the row.
    """


@declaration(
    "key/duplicate",
    level="error",
    subject="key",
    requires=("key/not-text",),
    reasons=("duplicate-key",),
)
def duplicate() -> None:
    """A key that is stored more than once.

    Why: which of the values a reader gets is chance.

    Fix: delete the rows that are not meant; `zarrdb vacuum` then writes a table in which
    this cannot happen.
    """


@declaration(
    "key/value-not-blob",
    level="error",
    subject="key",
    reasons=("text-value", "number-value", "null-value"),
)
def value_not_blob() -> None:
    """A value that is not stored as a BLOB.

    Why: readers get text in some encoding, a number or nothing instead of bytes, or fail.

    Fix: store the bytes again.
    """


@declaration(
    "key/unreadable-file",
    level="error",
    subject="key",
    reasons=(
        "unreadable-file",
        "link-broken",
        "link-loop",
        "special-file",
        "name-not-unicode",
    ),
)
def unreadable_file() -> None:
    """A file of a directory store that cannot be read.

    Why: no permission, a dangling link, a loop of links, a FIFO or a device: whoever reads
    or copies the store fails there, or loses the value.

    Fix: restore the file, or delete it if it is no part of the data.
    """


@declaration("key/link-outside", level="warning", subject="key", reasons=("link-outside",))
def link_outside() -> None:
    """A symbolic link that leads out of a directory store.

    Why: the store is not complete by itself; a copy of it has a dangling link.

    Fix: replace the link by what it points to, as `zarrdb import` does.
    """


def remark_hit(remark: Remark) -> Hit:
    """A remark as a hit of the rule that has its kind among its reasons."""
    message = _MESSAGES[remark.kind]
    if remark.kind.startswith("link-") and remark.detail:
        message = f"a link that {remark.detail}"
    elif remark.detail and remark.kind in _DETAILED:
        message = f"{message}: {remark.detail.removeprefix('is ')}"
    return Hit(message, key=remark.key)
