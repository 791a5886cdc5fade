"""What a store makes of files of every kind, good and broken, as the container makes of them."""

from pathlib import Path

import pytest
from zarr.core.sync import sync

from helpers_db import copy_vector, load_vectors
from helpers_store import keys
from zarrdb import SQLiteStore
from zarrdb.db import Database
from zarrdb.errors import ZarrdbError


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("read_only", [True, False])
def test_a_store_opens_what_a_database_opens(
    read_only: bool, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    given = pytestconfig.getoption("--vectors")
    folder, expected = load_vectors(Path(given) if given else None, tmp_path)
    for number, each in enumerate(expected):
        path = copy_vector(folder, each, tmp_path / str(number))
        wanted = _outcome(path, read_only)
        before = path.read_bytes()
        found = _store_outcome(path, read_only)
        if not before and not read_only:
            # An empty file is as good as none for a store that may write.
            wanted = []
        assert found == wanted, each["file"]
        assert isinstance(found, list) or path.read_bytes() == before, each["file"]


def _store_outcome(path: Path, read_only: bool) -> list[str] | type[ZarrdbError]:
    try:
        with sync(SQLiteStore.open(path, read_only=read_only)) as store:
            return keys(store)
    except ZarrdbError as error:
        return type(error)


def _outcome(path: Path, read_only: bool) -> list[str] | type[ZarrdbError]:
    try:
        with Database.open(path, mode="r" if read_only else "rw", fold=False) as database:
            return sorted(database.list())
    except ZarrdbError as error:
        legacy = getattr(error, "message", "").find("zarr-python 2") >= 0
        if legacy and read_only:
            with Database.open_legacy(path) as database:
                return sorted(database.list())
        return type(error)
