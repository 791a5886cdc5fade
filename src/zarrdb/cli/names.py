"""More names than a command line holds: `--files-from`."""

import os
import sys

from zarrdb.cli.output import os_reason
from zarrdb.errors import UsageError
from zarrdb.keys import printable


def read_names(source: str | None, *, null: bool) -> list[str]:
    """The names in a file, or on stdin for `-`, one a line or ended by NUL.

    Raises UsageError where the file cannot be read or holds no name.
    """
    if source is None:
        return []
    try:
        if source == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(source, "rb") as file:
                data = file.read()
    except OSError as error:
        raise UsageError(f"--files-from {printable(source)}: {os_reason(error)}") from None
    # Of the ends of lines only these two: other characters may be in a name.
    words = data.split(b"\0") if null else [w.removesuffix(b"\r") for w in data.split(b"\n")]
    names = [os.fsdecode(word) for word in words if word]
    if not names:
        raise UsageError(f"--files-from {printable(source)}: no name in it")
    return names
