"""A new file is compared with the one that it was made from before it takes its place."""

from collections.abc import Iterable
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrdb.db import Database
from zarrdb.db.journal import start_log
from zarrdb.db.same import require_same
from zarrdb.errors import VerificationError

LARGE = 9 << 20


def rows_of(count: int) -> dict[str, bytes]:
    return {f"a/c/{number}": bytes([number % 256]) * (number % 50) for number in range(count)}


def write(path: Path, rows: Iterable[tuple[str, bytes]]) -> Path:
    path.unlink(missing_ok=True)
    with Database.open(path, mode="create") as database:
        database.set_many(rows)
    return path


def compare(old: Path, new: Path) -> None:
    with Database.open(old) as database, database.snapshot():
        require_same(database, str(new), "the copy")


@pytest.mark.parametrize("count", [0, 1, 1999, 2000, 2001, 7000])
def test_the_same_rows_in_another_order_are_the_same(tmp_path: Path, count: int) -> None:
    rows = rows_of(count)
    old = write(tmp_path / "old.zarrdb", rows.items())
    compare(old, write(tmp_path / "new.zarrdb", reversed(rows.items())))


@pytest.mark.parametrize("count", [1, 2000, 7000])
@pytest.mark.parametrize("change", ["value", "length", "key", "missing", "extra"])
@settings(max_examples=8, deadline=None)
@given(st.data())
def test_any_difference_is_found(
    tmp_path_factory: pytest.TempPathFactory, count: int, change: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("same")
    rows = rows_of(count)
    old = write(folder / "old.zarrdb", rows.items())
    number = data.draw(st.integers(0, count - 1))
    key = f"a/c/{number}"
    match change:
        case "value":
            rows[key] = b"x" * max(1, len(rows[key]))
        case "length":
            rows[key] += b"\0"
        case "key":
            rows[f"{key}~"] = rows.pop(key)
        case "missing":
            del rows[key]
        case _:
            rows["extra"] = b""
    with pytest.raises(VerificationError, match="the copy: the new file has"):
        compare(old, write(folder / "new.zarrdb", rows.items()))


def test_values_that_are_compared_piece_by_piece(tmp_path: Path) -> None:
    value = bytes(LARGE)
    old = write(tmp_path / "old.zarrdb", [("a", b"1"), ("large", value)])
    compare(old, write(tmp_path / "new.zarrdb", [("large", value), ("a", b"1")]))
    for other in (value[:-1] + b"x", b"x" + value[1:]):
        with pytest.raises(VerificationError, match="another value of large"):
            compare(old, write(tmp_path / "new.zarrdb", [("large", other), ("a", b"1")]))


def test_a_writer_may_be_waiting_for_the_end(tmp_path: Path) -> None:
    """It lets no other reader in, in particular none that was to help."""
    rows = rows_of(5000)
    old = write(tmp_path / "old.zarrdb", rows.items())
    new = write(tmp_path / "new.zarrdb", rows.items())
    writer = apsw.Connection(str(old))
    with Database.open(old) as database, database.snapshot():
        assert database.exists("a/c/0")
        writer.execute("BEGIN IMMEDIATE; DELETE FROM zarr")
        with pytest.raises(apsw.BusyError):
            writer.execute("COMMIT")
        require_same(database, str(new), "the copy")
    writer.close(True)


def test_a_file_with_a_log_beside_it(tmp_path: Path) -> None:
    """Another connection might see more of it: what others wrote since the snapshot."""
    rows = rows_of(5000)
    old = write(tmp_path / "old.zarrdb", [("a", b"1")])
    new = write(tmp_path / "new.zarrdb", rows.items())
    with Database.open(old, mode="rw") as writer:
        assert start_log(writer.connection)
        writer.clear()
        writer.set_many(rows.items())
        with Database.open(old) as database, database.snapshot():
            assert database.size("a") is None
            writer.set("a/c/4000", b"written since")
            require_same(database, str(new), "the copy")
