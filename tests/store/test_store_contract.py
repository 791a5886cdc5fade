"""zarr-python's own tests of a store, unchanged, on SQLiteStore."""

from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis.stateful import run_state_machine_as_test
from zarr.core.buffer import Buffer, cpu
from zarr.testing.stateful import ZarrHierarchyStateMachine, ZarrStoreStateMachine
from zarr.testing.store import StoreTests

from zarrdb import SQLiteStore
from zarrdb.db import Database


def _outside(store: SQLiteStore) -> apsw.Connection:
    """A connection that knows nothing of the store, as another program would have."""
    if not Path(store.path).exists():
        Database.open(store.path, mode="create").close()
    return apsw.Connection(store.path)


# zarr-python warns about data types and names of its own making.
pytestmark = pytest.mark.filterwarnings("ignore:The :UserWarning", "ignore:The :FutureWarning")


class TestSQLiteStore(StoreTests[SQLiteStore, cpu.Buffer]):
    store_cls = SQLiteStore
    buffer_cls = cpu.Buffer

    async def get(self, store: SQLiteStore, key: str) -> Buffer:
        connection = _outside(store)
        (value,) = next(connection.execute("SELECT v FROM zarr WHERE k = ?", (key,)))
        connection.close()
        return self.buffer_cls.from_bytes(value)

    async def set(self, store: SQLiteStore, key: str, value: Buffer) -> None:
        connection = _outside(store)
        connection.execute("INSERT INTO zarr VALUES (?, ?)", (key, value.to_bytes()))
        connection.close()

    @pytest.fixture
    def store_kwargs(self, tmp_path: Path) -> dict[str, Any]:
        return {"path": str(tmp_path / "store.zarrdb")}

    def test_store_repr(self, store: SQLiteStore) -> None:
        assert repr(store) == f"SQLiteStore({store.path!r})"

    def test_store_supports_writes(self, store: SQLiteStore) -> None:
        assert store.supports_writes

    def test_store_supports_listing(self, store: SQLiteStore) -> None:
        assert store.supports_listing


def test_the_hierarchy_state_machine_finds_no_difference(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "hierarchy.zarrdb") as store:
        run_state_machine_as_test(lambda: ZarrHierarchyStateMachine(store))  # type: ignore[arg-type]


def test_the_store_state_machine_finds_no_difference(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "keys.zarrdb") as store:
        run_state_machine_as_test(lambda: ZarrStoreStateMachine(store))  # type: ignore[arg-type]
