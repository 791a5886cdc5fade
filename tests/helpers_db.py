"""Files to test the store core on: copies of vectors, and hand-made databases."""

import hashlib
import json
import os
import shutil
import sys
import subprocess
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import apsw

SMALL_VECTORS = Path(__file__).parent / "db" / "vectors"

SCHEMA = (
    "CREATE TABLE zarr_sqlitestore_metadata (k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)",
    "CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL)",
    "INSERT INTO zarr_sqlitestore_metadata VALUES ('sqlitestore_version', '1.0'),"
    " ('compatible_flags', ''), ('incompatible_flags', '')",
    "PRAGMA application_id = 0x10b50760",
)


def load_vectors(folder: Path | None, work: Path) -> tuple[Path, list[dict[str, Any]]]:
    """The folder of the vector files and what is expected of each."""
    if folder is None:
        source = SMALL_VECTORS
    else:
        source = work / "vectors"
        with tarfile.open(folder / "sqlitestore" / "files.tar.gz") as archive:
            archive.extractall(source, filter="data")
    expected = json.loads((source / "expected.json").read_text(encoding="utf-8"))
    return source, [e for e in expected["files"] if (source / e["file"]).exists()]


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
    keys: Iterable[tuple[Any, Any]] = (),
) -> Path:
    """A database made by SQLite alone, whatever is wrong with it."""
    connection = apsw.Connection(str(path))
    connection.pragma("encoding", encoding)
    for statement in (*schema, *statements):
        connection.execute(statement)
    connection.executemany("INSERT INTO zarr(k, v) VALUES (?, ?)", list(keys))
    connection.close()
    return path


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


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether a condition holds."""
    return condition()


def is_root() -> bool:
    """Whether permissions do not bind this process."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
