import os

from helpers_lint import GROUP3, encoded, fails, passes
from helpers_lint_files import Writer, database


def sparse(folder: str) -> str:
    """A directory store with a file that is large and takes no room."""
    path = os.path.join(folder, "x.zarr")
    os.mkdir(path)
    with open(os.path.join(path, "zarr.json"), "wb") as file:
        file.write(encoded(GROUP3))
    with open(os.path.join(path, "big"), "wb") as file:
        file.truncate(1_000_000_001)
    return path


WRITER: Writer = sparse

FAILING = [fails(WRITER, {"key": "big", "level": "info"})]

PASSING = [passes(database())]
