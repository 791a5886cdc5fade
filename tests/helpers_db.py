"""Files to test the store core on: copies of vectors, and hand-made databases."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import apsw

SMALL_VECTORS = Path(__file__).parent / "db" / "vectors" / "files.tar.xz"

SCHEMA = (
    "CREATE TABLE zarr_sqlitestore_metadata (k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)",
    "CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL)",
    """INSERT INTO zarr_sqlitestore_metadata VALUES
        ('sqlitestore_version', '1.0'), ('compatible_flags', ''), ('incompatible_flags', '')""",
    "PRAGMA application_id = 0x10b50760",
)


def load_vectors(folder: Path | None, work: Path) -> tuple[Path, list[dict[str, Any]]]:
    """The vector files, unpacked in `work`, and what is expected of each."""
    archive = folder / "sqlitestore" / "files.tar.gz" if folder else SMALL_VECTORS
    with tarfile.open(archive) as members:
        members.extractall(work, filter="data")
    expected = json.loads((work / "expected.json").read_text(encoding="utf-8"))
    return work, [entry for entry in expected["files"] if (work / entry["file"]).exists()]


def copy_vector(source: Path, expected: dict[str, Any], target: Path) -> Path:
    """A private copy of a vector with its sidecars."""
    target.mkdir()
    for name in (expected["file"], *expected["sidecars"]):
        shutil.copyfile(source / name, target / name)
    return target / str(expected["file"])


def folder_state(folder: Path) -> dict[str, str]:
    """Names and digests of all files in a folder."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def make_database(
    path: Path,
    *statements: str,
    schema: Iterable[str] = SCHEMA,
    encoding: str = "UTF-8",
    page_size: int = 4096,
    keys: Iterable[tuple[Any, Any]] = (),
    skip_refused: bool = False,
) -> Path:
    """A database made by SQLite alone, whatever is wrong with it.

    `skip_refused` leaves out the rows that a constraint does not let in.
    """
    connection = apsw.Connection(str(path))
    connection.pragma("encoding", encoding)
    connection.pragma("page_size", page_size)
    with connection:
        for statement in (*schema, *statements):
            connection.execute(statement)
    insert = "INSERT OR IGNORE" if skip_refused else "INSERT"
    connection.executemany(f"{insert} INTO zarr(k, v) VALUES (?, ?)", list(keys))
    connection.close()
    return path


def query_one(path: Path, statement: str) -> object:
    """The one value that a statement gives, asked of SQLite alone."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return connection.execute(statement).get
    finally:
        connection.close()


def run_python(code: str, *arguments: object, timeout: float = 60) -> str:
    """What another Python process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def in_child(work: Callable[[], object]) -> bool:
    """Whether `work` gives something true in a fork of this process."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if work() else 1)
        except BaseException:
            traceback.print_exc()
            os._exit(2)
    return os.waitpid(pid, 0)[1] == 0


def let_anyone_in(folder: Path) -> None:
    """Let other users reach a test's folder; how deep it lies depends on the test runner."""
    for part in (folder, *folder.parents):
        if not part.stat().st_mode & 0o001:
            part.chmod(0o755)


def in_child_as_nobody(work: Callable[[], object]) -> bool:
    """The same as a user whom permissions bind."""

    def as_nobody() -> object:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        return work()

    return in_child(as_nobody)
