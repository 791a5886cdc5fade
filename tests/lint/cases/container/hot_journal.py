import os
import shutil
import sqlite3

from helpers_lint import fails, passes
from helpers_lint_files import Writer, database


def interrupted(folder: str) -> str:
    """A copy taken in the middle of a transaction that has spilled to the file."""
    original = database({f"k{number}": bytes(3000) for number in range(200)})(folder)
    connection = sqlite3.connect(original, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN")
    connection.execute("UPDATE zarr SET v = randomblob(3000)")
    shipped = os.path.join(folder, "shipped")
    os.mkdir(shipped)
    for suffix in ("", "-journal"):
        shutil.copy(original + suffix, os.path.join(shipped, "x.zarrdb" + suffix))
    connection.close()
    return os.path.join(shipped, "x.zarrdb")


WRITER: Writer = interrupted

FAILING = [fails(WRITER)]

PASSING = [passes(database())]
