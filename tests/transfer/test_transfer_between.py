"""`zarrdb.copy` between paths and stores of zarr-python."""

from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
import zarr
from zarr.storage import LocalStore, MemoryStore, ZipStore

import zarrdb
from helpers_objects import objects
from helpers_s3 import bucket
from helpers_store import buffer, get, keys, put
from zarrdb.errors import TargetExistsError, VerificationError

# zarr-python's zips warn about names that come twice.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

DATA = np.arange(20, dtype="i4").reshape(4, 5)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = zarr.create_group(tmp_path / "x.zarr")
    root.create_array("a", shape=DATA.shape, chunks=(2, 2), dtype="i4")[:] = DATA
    root.create_group("b").attrs["title"] = "b"
    return tmp_path / "x.zarr"


def contents(store: Any) -> dict[str, bytes | None]:
    return {key: get(store, key) for key in keys(store)}


@pytest.mark.parametrize("name", ["y.zarrdb", "y.zip", "y.zarr"])
def test_a_path_is_copied_to_a_path_of_any_kind(name: str, source: Path, tmp_path: Path) -> None:
    report = zarrdb.copy(source, tmp_path / name, verify=True)
    assert (report.keys, report.verified) == (9, True)
    back = zarrdb.copy(tmp_path / name, tmp_path / "back.zarr")
    assert back.keys == 9
    for path in source.rglob("*"):
        if path.is_file():
            twin = tmp_path / "back.zarr" / path.relative_to(source)
            assert twin.read_bytes() == path.read_bytes()


def test_stores_are_copied_to_stores(source: Path, tmp_path: Path) -> None:
    memory = MemoryStore()
    zarrdb.copy(LocalStore(source), memory, verify=True)
    assert contents(memory) == contents(LocalStore(source))
    with zarrdb.SQLiteStore(tmp_path / "y.zarrdb") as store:
        report = zarrdb.copy(memory, store, path="some/place", exclude=["b"], verify=True)
        assert report.keys == 8
        array = zarr.open_array(store, path="some/place/a", mode="r")
        assert np.array_equal(array[:], DATA)
    with ZipStore(tmp_path / "y.zip", mode="w") as zipped:
        zarrdb.copy(tmp_path / "y.zarrdb", zipped)
    # The groups above `some/place` have documents too.
    assert zarrdb.copy(tmp_path / "y.zip", MemoryStore()).keys == 10


@pytest.mark.parametrize("kind", ["store", "path"])
def test_keys_that_are_there_decide(kind: str, source: Path, tmp_path: Path) -> None:
    path = tmp_path / "y.zarrdb"
    with zarrdb.SQLiteStore(path) as store:
        put(store, "a/zarr.json", b"old")
        put(store, "other", b"kept")

    def run(on_conflict: Any) -> Any:
        if kind == "path":
            return zarrdb.copy(source, path, on_conflict=on_conflict)
        with zarrdb.SQLiteStore(path) as store:
            return zarrdb.copy(source, store, on_conflict=on_conflict)

    before = path.read_bytes()
    with pytest.raises(TargetExistsError):
        run("error")
    assert path.read_bytes() == before
    assert run("skip").keys == 8
    with zarrdb.SQLiteStore(path) as store:
        assert get(store, "a/zarr.json") == b"old"
        assert get(store, "other") == b"kept"
    assert run("replace").keys == 9
    with zarrdb.SQLiteStore(path) as store:
        assert get(store, "a/zarr.json") == (source / "a/zarr.json").read_bytes()
        assert get(store, "other") == b"kept"


def test_a_copy_that_fails_leaves_a_store_as_it_was(source: Path, tmp_path: Path) -> None:
    class Failing(MemoryStore):
        async def get(self, key: str, *args: Any, **keywords: Any) -> Any:
            if key.startswith("b"):
                raise OSError("gone")
            return await super().get(key, *args, **keywords)

    failing = Failing()
    zarrdb.copy(source, failing)
    with zarrdb.SQLiteStore(tmp_path / "y.zarrdb") as store:
        put(store, "kept", b"1")
        with pytest.raises(OSError, match="gone"):
            zarrdb.copy(failing, store)
        assert keys(store) == ["kept"]


def test_what_a_transaction_has_written_is_copied(tmp_path: Path) -> None:
    """Also where several threads read it, or write it."""
    values = {f"c/{number}": bytes([number]) * 300_000 for number in range(40)}
    with zarrdb.SQLiteStore(tmp_path / "x.zarrdb", timeout=0.05) as store:
        for key in values:
            put(store, key, bytes(300_000))
        put(store, "zarr.json", b"{}")
        with store.transaction():
            for key, value in values.items():
                put(store, key, value)
            memory = MemoryStore()
            zarrdb.copy(store, memory, verify=True)
            zarrdb.copy(memory, store, path="again", verify=True)
            with zarrdb.SQLiteStore(tmp_path / "y.zarrdb") as other:
                zarrdb.copy(store, other, verify=True)
                assert contents(other) == contents(store)
        assert {key: get(memory, key) for key in values} == values
        assert {key: get(store, f"again/{key}") for key in values} == values


class Broken(zarrdb.SQLiteStore):
    """What is written under some keys fails, or becomes something else."""

    async def set(self, key: str, value: Any) -> None:
        if key.endswith("fails/zarr.json"):
            raise OSError("no")
        if key.endswith("c/0/0"):
            value = buffer(bytes(len(value.to_bytes())))
        await super().set(key, value)


@pytest.mark.parametrize("path", ["", "deep/fails/er"])
def test_a_copy_that_ends_in_an_error_has_written_nothing(
    path: str, source: Path, tmp_path: Path
) -> None:
    error: type[Exception] = OSError if path else VerificationError
    with Broken(tmp_path / "y.zarrdb", timeout=0.05) as store:
        put(store, "kept", b"1")
        with pytest.raises(error):
            zarrdb.copy(source, store, path=path, verify=True)
        assert keys(store) == ["kept"]
        put(store, "after", b"1")


@pytest.mark.parametrize("on_conflict", ["error", "skip", "replace"])
def test_one_state_of_a_file_is_copied(on_conflict: Any, tmp_path: Path) -> None:
    """What others write meanwhile is not in it, whatever else is left out."""
    values = {f"c/{number:03}": bytes([number]) * 50_000 for number in range(100)}
    path = tmp_path / "x.zarrdb"
    with zarrdb.SQLiteStore(path) as writer:
        put(writer, "zarr.json", b"{}")
        for key, value in values.items():
            put(writer, key, value)

        class Meddling:
            def expect(self, keys: int | None, size: int | None) -> None: ...

            def update(self, keys: int, size: int) -> None:
                for key, value in values.items():
                    writer.set_sync(key, buffer(bytes(len(value))))

        target = MemoryStore()
        if on_conflict != "error":
            put(target, "c/000", b"old")
        zarrdb.copy(path, target, on_conflict=on_conflict, progress=Meddling())
    if on_conflict == "skip":
        values["c/000"] = b"old"
    assert {key: get(target, key) for key in values} == values


def test_a_dry_run_writes_nothing(source: Path, tmp_path: Path) -> None:
    memory = MemoryStore()
    assert zarrdb.copy(source, memory, dry_run=True).keys == 9
    assert zarrdb.copy(source, tmp_path / "y.zarrdb", dry_run=True).keys == 9
    assert keys(memory) == []
    assert not (tmp_path / "y.zarrdb").exists()


def test_patterns_choose_keys(source: Path) -> None:
    memory = MemoryStore()
    zarrdb.copy(source, memory, include=["a"], exclude=["a/c/1"])
    assert keys(memory) == ["a/c/0/0", "a/c/0/1", "a/c/0/2", "a/zarr.json", "zarr.json"]


@pytest.mark.parametrize("name", ["y.zarrdb", "y.zip", "y.zarr", "y.tar"])
def test_a_url_is_a_target_like_a_path(name: str, source: Path, tmp_path: Path) -> None:
    with objects() as store:
        url = f"objects://b/{name}"
        report = zarrdb.copy(source, url, verify=True)
        assert (report.keys, report.verified, report.target) == (9, True, url)
        with pytest.raises(TargetExistsError):
            zarrdb.copy(source, url)
        if name != "y.tar":
            zarrdb.copy(url, tmp_path / "back.zarr")
            back = zarr.open_array(tmp_path / "back.zarr", path="a", mode="r")
            np.testing.assert_array_equal(back[:], DATA)
        assert all("/y." in path for path in store.store)


def test_a_node_of_a_file_at_a_url(source: Path, tmp_path: Path) -> None:
    with objects():
        zarrdb.copy(source, "objects://b/y.zarrdb", path="deep/er")
        zarrdb.copy("objects://b/y.zarrdb", tmp_path / "back.zarr")
        zarrdb.copy(source, "objects://b/y.zarr", path="b")
        assert fsspec.filesystem("objects").find("/b/y.zarr") == ["/b/y.zarr/zarr.json"]
    group = zarr.open_group(tmp_path / "back.zarr", mode="r")
    assert group["deep/er/b"].attrs["title"] == "b"


def test_storage_options_reach_both_ends(source: Path) -> None:
    with bucket() as there:
        options = there.options
        for name in ("x.zarr", "x.zarrdb"):
            url = f"s3://{there.name}/{name}"
            zarrdb.copy(source, url, storage_options=options)
            zarrdb.copy(url, f"s3://{there.name}/again-{name}", storage_options=options)
        assert there.filesystem.exists(f"{there.name}/again-x.zarr/a/zarr.json")
