"""Rules on keys: what the format forbids, and what cannot leave the store unharmed.

A name is judged once at each place: the last component of every key, and the name of every
directory (prefix) where it is first met.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from zarrdb.keys import key_fault, printable
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import rule
from zarrdb.patterns import compiled


class Name(NamedTuple):
    """One component of a key: the path up to it, and whether it is a directory's."""

    path: str
    name: str
    is_directory: bool

    def hit(self, message: str, hint: str) -> Hit:
        """A hit at this name."""
        if self.is_directory:
            return Hit(message, hint, node=self.path)
        return Hit(message, hint, key=self.path)


_DRIVE: Final = r"[A-Za-z]:(?:\\|$)"
_STREAM: Final = r"[^:]:+[A-Za-z_$]"
_TEMPORARY: Final = r".+\.[0-9a-f]{32}\.partial"
_RESERVED: Final = r"(?i:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?"
# Control characters, line and paragraph separators, and those that turn the writing direction.
_CONTROL: Final = r"[\x01-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
_SPECIAL: Final = r'[<>:"|?*]'

MAX_NAME_BYTES = 255
"""The longest file name of ext4, xfs, APFS and NTFS (there in UTF-16 units)."""


@rule("key/invalid", level="error", subject="key")
def invalid(key: str) -> Iterator[Hit]:
    """The format forbids the key.

    Why: a key must not start or end with `/` nor contain `//`; readers drop such keys, loop
    over them, or refuse the store.

    Fix: find out what wrote it and store the value under a valid key; delete the row.
    """
    fault = key_fault(key)
    if fault is not None:
        yield Hit(f"the key {fault}", "readers cannot reach this value", key=key)


@rule("key/unsafe", level="warning", subject="key", requires=("key/invalid",))
def unsafe(name: Name) -> Iterator[Hit]:
    """As a file name the key would lead out of the directory it is exported to.

    Why: `.` and `..` segments, drive letters, backslashes that climb and stream names are
    legal in a key, but a program that turns keys into paths writes somewhere else. `export`
    refuses them.

    Fix: rename the node.
    """
    parts = name.name.split("\\")
    if ".." in parts or "." in parts:
        fault = f"has a `{'..' if '..' in parts else '.'}` segment"
    elif "/" not in name.path and compiled(_DRIVE).match(name.name):
        fault = "starts with a drive letter"
    elif parts[0] == "" and len(parts) > 1:
        fault = "is an absolute path on Windows"
    elif compiled(_STREAM).search(name.name):
        fault = "names a stream of a file on Windows"
    else:
        return
    yield name.hit(f"the key {fault}", "`export` refuses it")


@rule("key/nul", level="warning", subject="key")
def nul(name: Name) -> Iterator[Hit]:
    """The key holds a NUL character.

    Why: many tools, SQLite's own text functions among them, cut the key there, so that two
    keys become one. No file system can hold the name.

    Fix: rename the node.
    """
    if "\0" in name.name:
        yield name.hit("the key holds a NUL character", "many tools cut the key there")


@rule("key/not-portable", level="info", subject="key", requires=("key/invalid",))
def not_portable(name: Name) -> Iterator[Hit]:
    """Some file systems or tools cannot hold the key.

    Why: Windows and macOS know characters, names and lengths that are not allowed, and treat
    names that differ by case or normalisation as one. A directory cannot be a file, so a key
    that is also the prefix of others cannot be exported to one.

    Fix: rename the node if the store is to be exported to a directory there.
    """
    text = name.name
    if "\\" in text:
        fault = "holds a backslash"
    elif compiled(_CONTROL).search(text):
        fault = "holds control characters"
    elif compiled(_SPECIAL).search(text):
        fault = "holds a character that Windows reserves"
    elif text.endswith((".", " ")) and text not in (".", ".."):
        fault = "ends with a blank or a dot, which Windows drops"
    elif compiled(_RESERVED).fullmatch(text):
        fault = "is the name of a device on Windows"
    elif len(text) > MAX_NAME_BYTES // 4 and len(_encoded(text)) > MAX_NAME_BYTES:
        fault = f"has a name of {len(_encoded(text)):,} bytes; file systems take {MAX_NAME_BYTES}"
    else:
        return
    yield name.hit(f"the key {fault}", "an export to a directory may fail there")


@rule("key/left-over", level="warning", subject="key", requires=("key/invalid",))
def left_over(name: Name) -> Iterator[Hit]:
    """A file that a tool or a crashed writer left behind.

    Why: temporaries of zarr's writers, `.nfs` files and the like are no part of the data,
    take space, and are shipped with it.

    Fix: delete the key, or import again: `import` leaves them out.
    """
    text = name.name
    if compiled(_TEMPORARY).fullmatch(text):
        origin = "the temporary of a writer that did not finish"
    elif text.startswith(".nfs"):
        origin = "an open file that was deleted on a network file system"
    elif text in (".DS_Store", "__MACOSX") or text.startswith("._"):
        origin = "a file of macOS"
    else:
        return
    yield name.hit(f"{printable(text)} is {origin}", "`import` leaves it out")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
