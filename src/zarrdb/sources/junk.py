"""What operating systems, editors and crashed writers leave in a store, by exact pattern."""

import re
from typing import Final

_FOLDERS: Final = frozenset({"__MACOSX", ".git"})

# The last two are temporaries: of zarr's own LocalStore, and of a run of this program.
_FILE: Final = re.compile(
    r"\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|\.nfs.*|\.git|.+~|\..*\.swp"
    r"|.+\.[0-9a-f]{32}\.partial|\..+\.[0-9]+-[0-9a-f]{8}\.tmp",
    re.DOTALL,
)
# Names that begin and end otherwise match none of the patterns: all names of chunks.
_FIRST: Final = frozenset(".Td")
_LAST: Final = frozenset("~l")


def is_junk_file(name: str) -> bool:
    """Whether a file of this name is no part of any store."""
    if name[:1] not in _FIRST and name[-1:] not in _LAST:
        return False
    return _FILE.fullmatch(name) is not None


def is_junk_folder(name: str) -> bool:
    """Whether nothing below a folder of this name is part of a store."""
    return name in _FOLDERS


def junk_part(key: str) -> str | None:
    """The part of a key, from its beginning, that is junk: a folder with its slash, or all."""
    folders, _, name = key.rpartition("/")
    if folders and not _FOLDERS.isdisjoint(parts := folders.split("/")):
        first = next(i for i, part in enumerate(parts) if part in _FOLDERS)
        return "/".join(parts[: first + 1]) + "/"
    return key if is_junk_file(name) else None
