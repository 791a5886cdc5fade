"""Stores written to URLs."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from helpers_objects import ObjectStore, contents, objects
from helpers_s3 import bucket
from helpers_transfer import ARRAY, GROUP, STORE, MemorySource, leftovers, write_tree
from zarrdb.detect import open_source
from zarrdb.errors import (
    SourceError,
    TargetError,
    TargetExistsError,
    UsageError,
    VerificationError,
    ZarrdbError,
)
from zarrdb.keys import KeySource, is_document
from zarrdb.sources import filesystem_target
from zarrdb.transfer.copy import CopyOptions
from zarrdb.transfer.export import Kind, export, kind_of
from zarrdb.transfer.report import CopyReport
from zarrdb.transport.options import RemoteOptions

KINDS: list[tuple[Kind, str]] = [
    ("directory", "x.zarr"),
    ("zip", "x.zarr.zip"),
    ("zarrdb", "x.zarrdb"),
    ("tar", "x.tar"),
]
DEEP = {**STORE, "b/d/zarr.json": GROUP, "b/d/e/zarr.json": ARRAY, "b/d/e/c/0": b"e"}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


@pytest.fixture
def store() -> Iterator[type[ObjectStore]]:
    with objects() as found:
        yield found


@pytest.fixture
def memory() -> Any:
    return fsspec.filesystem("memory")


def sent(source: KeySource, url: str, **options: Any) -> CopyReport:
    remote = options.pop("remote", None)
    chosen = {name: options.pop(name) for name in ("path", "portable") if name in options}
    return export(
        source, "", url, CopyOptions(**options), kind=kind_of(url), remote=remote, **chosen
    )


def read(url: str, **options: Any) -> dict[str, bytes | None]:
    source = open_source(url, keep_junk=True, any_name=True, **options)
    try:
        return dict(source.get_many([entry.key for entry in source.entries()]))
    finally:
        source.close()


@pytest.mark.parametrize("scheme", ["memory", "objects", "file"])
@pytest.mark.parametrize(("kind", "name"), KINDS)
@pytest.mark.usefixtures("memory", "store")
def test_every_kind_goes_anywhere(tmp_path: Path, scheme: str, kind: Kind, name: str) -> None:
    place = f"{tmp_path}/out" if scheme == "file" else "bucket/some/where"
    if scheme == "file":
        Path(place).mkdir()
    url = f"{scheme}://{place}/{name}"
    report = sent(MemorySource(DEEP), url, verify=True)
    assert (report.keys, report.verified) == (len(DEEP), True)
    if kind != "tar":
        assert read(url) == DEEP
    with pytest.raises(TargetExistsError, match="exists"):
        sent(MemorySource(DEEP), url)
    less = {key: value for key, value in DEEP.items() if not key.startswith("a/")}
    sent(MemorySource(less), url, overwrite=True, verify=True)
    if kind != "tar":
        assert read(url) == less
    # The same bytes as a local one.
    if kind != "directory":
        sent(MemorySource(less), str(tmp_path / name))
        filesystem = fsspec.filesystem(scheme)
        assert filesystem.cat_file(f"{place}/{name}") == (tmp_path / name).read_bytes()
    assert leftovers(tmp_path) == []
    if scheme != "file":
        assert all(".tmp" not in path for path in fsspec.filesystem(scheme).find("/"))


def test_report_names_the_url(store: type[ObjectStore]) -> None:
    assert sent(MemorySource(STORE), "objects://b/x.zarrdb").target == "objects://b/x.zarrdb"
    assert sent(MemorySource(STORE), "objects://b/x.zarr").target == "objects://b/x.zarr"
    report = sent(MemorySource(STORE), "objects://b/y.zarr", dry_run=True)
    assert (report.dry_run, report.keys) == (True, len(STORE))
    sent(MemorySource(STORE), "objects://b/y.zarrdb", dry_run=True)
    assert not any("y.zarr" in path for path in store.store)


def test_documents_come_last_and_the_root_at_the_end(store: type[ObjectStore]) -> None:
    sent(MemorySource(DEEP), "objects://b/x.zarr")
    keys = [path.removeprefix("/b/x.zarr/") for operation, path in store.done if operation == "put"]
    documents = [key for key in keys if is_document(key)]
    assert keys[-len(documents) :] == documents
    depths = [key.count("/") for key in documents]
    assert depths == sorted(depths, reverse=True)
    assert documents[-1] == "zarr.json"


@pytest.mark.parametrize("stop", [0, 3, 12, 15, len(DEEP) - 1])
def test_what_fails_in_the_middle_does_not_open(store: type[ObjectStore], stop: int) -> None:
    def fail(operation: str, path: str) -> None:
        if operation == "put" and len(store.done) >= stop:
            raise PermissionError(errno.EACCES, "Permission denied")

    store.before = fail
    with pytest.raises(TargetError, match=r"^objects://b/x\.zarr: cannot be written") as error:
        sent(MemorySource(DEEP), "objects://b/x.zarr")
    store.before = None
    left = contents(store(), "/b/x.zarr")
    assert not any(map(is_document, left))
    assert ("values are left there, without any document" in error.value.message) or not left
    with pytest.raises(ZarrdbError):
        sent(MemorySource({}), "objects://b/x.zarr")
    sent(MemorySource(DEEP), "objects://b/y.zarr")


def test_a_killed_one_does_not_open(store: type[ObjectStore]) -> None:
    """Documents that nobody could take back: the root's is never among them."""

    def fail(operation: str, path: str) -> None:
        if operation == "rm" or (operation == "put" and path.endswith("x.zarr/zarr.json")):
            raise PermissionError(errno.EACCES, "Permission denied")

    store.before = fail
    with pytest.raises(TargetError, match="documents could not be taken back: "):
        sent(MemorySource(DEEP), "objects://b/x.zarr")
    store.before = None
    assert "zarr.json" not in contents(store(), "/b/x.zarr")


def test_a_source_that_cannot_be_read(store: type[ObjectStore], memory: Any) -> None:
    lost = {"a/zarr.json": SourceError("memory: a/zarr.json: no")}
    for url in ("objects://b/x.zarr", "memory://b/x.zarr", "objects://b/x.zarrdb"):
        with pytest.raises(SourceError, match=r"a/zarr\.json: no"):
            sent(MemorySource(DEEP, broken=lost), url)
    assert not any(is_document(path) for path in store.store)
    assert memory.find("/") == []


def test_an_interruption_takes_documents_back(
    store: type[ObjectStore], caplog: pytest.LogCaptureFixture
) -> None:
    many = {**DEEP, **{f"a/c/1{n:03}": b"x" for n in range(100)}}
    stopped: dict[str, Any] = {"zarr.json": KeyboardInterrupt()}
    with pytest.raises(KeyboardInterrupt):
        sent(MemorySource(many, broken=stopped), "objects://b/x.zarr")
    assert not any(map(is_document, store.store))
    assert "without any document" in caplog.text


def test_busy_servers_are_asked_again(store: type[ObjectStore]) -> None:
    failed: set[str] = set()

    def fail(operation: str, path: str) -> None:
        if operation == "put" and path not in failed and len(failed) < 3:
            failed.add(path)
            raise OSError(errno.EBUSY, "slow down")

    store.before = fail
    sent(MemorySource(DEEP), "objects://b/x.zarr")
    store.before = None
    assert contents(store(), "/b/x.zarr") == DEEP


def test_a_store_that_is_replaced_closes_first(store: type[ObjectStore]) -> None:
    sent(MemorySource(DEEP), "objects://b/x.zarr")
    store.done.clear()

    def fail(operation: str, _path: str) -> None:
        if operation == "put":
            raise PermissionError(errno.EACCES, "Permission denied")

    store.before = fail
    with pytest.raises(TargetError):
        sent(MemorySource(STORE), "objects://b/x.zarr", overwrite=True)
    removed = [path for operation, path in store.done if operation == "rm"]
    assert removed[0] == "/b/x.zarr/zarr.json"
    store.before = None
    assert contents(store(), "/b/x.zarr") == {}


@pytest.mark.parametrize("scheme", ["memory", "objects"])
@pytest.mark.usefixtures("memory", "store")
def test_what_stands_there_stays_until_the_new_one_is_complete(scheme: str) -> None:
    names = ["x.zarrdb", "x.zip"] + (["x.zarr"] if scheme == "memory" else [])
    for name in names:
        url = f"{scheme}://b/{name}"
        sent(MemorySource(STORE), url)
        broken = MemorySource(DEEP, broken={"zarr.json": SourceError("no")})
        with pytest.raises(SourceError):
            sent(broken, url, overwrite=True)
        assert read(url) == STORE


@pytest.mark.parametrize("scheme", ["memory", "objects"])
@pytest.mark.usefixtures("memory", "store")
def test_strangers_are_not_replaced(scheme: str) -> None:
    filesystem = fsspec.filesystem(scheme)
    for key, value in {**STORE, "thesis.docx": b"!"}.items():
        filesystem.pipe_file(f"/b/x.zarr/{key}", value)
    with pytest.raises(TargetExistsError, match=r"thesis\.docx"):
        sent(MemorySource(STORE), f"{scheme}://b/x.zarr", overwrite=True)
    filesystem.pipe_file("/b/y.zarrdb", b"PK\x03\x04" + bytes(600))
    filesystem.pipe_file("/b/y.zarr/data.csv", b"1,2")
    with pytest.raises(TargetExistsError, match="is a zip, so it is not replaced"):
        sent(MemorySource(STORE), f"{scheme}://b/y.zarrdb", overwrite=True)
    with pytest.raises(TargetExistsError, match="is no store"):
        sent(MemorySource(STORE), f"{scheme}://b/y.zarr", overwrite=True)
    with pytest.raises(TargetExistsError, match="no directory"):
        export(MemorySource(STORE), "", f"{scheme}://b/y.zarrdb", CopyOptions(), kind="directory")
    with pytest.raises(TargetExistsError, match="is a directory"):
        export(MemorySource(STORE), "", f"{scheme}://b/y.zarr", CopyOptions(), kind="zip")


def test_what_differs_is_told(store: type[ObjectStore], monkeypatch: pytest.MonkeyPatch) -> None:
    put = ObjectStore.pipe_file
    monkeypatch.setattr(
        ObjectStore, "pipe_file", lambda self, path, value: put(self, path, b"?" * len(value))
    )
    with pytest.raises(VerificationError, match=r"objects://b/x\.zarr"):
        sent(MemorySource(STORE), "objects://b/x.zarr", verify=True)
    monkeypatch.setattr(
        ObjectStore, "put_file", lambda self, _lpath, rpath: put(self, rpath, b"no")
    )
    with pytest.raises(VerificationError, match=r"objects://b/x\.zarrdb"):
        sent(MemorySource(STORE), "objects://b/x.zarrdb", verify=True)


@pytest.mark.usefixtures("store")
def test_long_values_go_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem_target, "_WHOLE", 1000)
    big = {**STORE, "a/c/99": os.urandom(9 << 20)}
    sent(MemorySource(big), "objects://b/x.zarr", verify=True)
    assert read("objects://b/x.zarr") == big
    broken = {"a/c/99": SourceError("no")}
    with pytest.raises(SourceError):
        sent(MemorySource(big, broken=broken), "objects://b/y.zarr")
    assert not any("c/99" in path for path in ObjectStore.store if "y.zarr" in path)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://example.org/x.zarr", "a web server cannot be written to"),
        ("memory://", "names no place"),
        ("nothing://b/x.zarr", "nothing"),
    ],
)
def test_places_that_cannot_be_written(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        export(MemorySource(STORE), "", url, CopyOptions(), kind="directory")


def test_a_node_and_names(store: type[ObjectStore]) -> None:
    sent(MemorySource(DEEP), "objects://b/x.zarr", path="b/d")
    assert read("objects://b/x.zarr") == {
        key[4:]: value for key, value in DEEP.items() if key.startswith("b/d/")
    }
    with pytest.raises(TargetError, match="Windows"):
        sent(MemorySource({**DEEP, "a:b": b""}), "objects://b/y.zarr", portable=True)
    with pytest.raises(TargetError, match=r"\.\."):
        sent(MemorySource({**DEEP, "../up": b""}), "objects://b/y.zarr")
    assert not any("y.zarr" in path for path in store.store)


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_s3(tmp_path: Path, kind: Kind, name: str) -> None:
    source = write_tree(tmp_path / "s.zarr", DEEP)
    with bucket() as there:
        remote = RemoteOptions(storage_options=there.options)
        url = f"s3://{there.name}/deep/{name}"
        for overwrite in (False, True):
            opened = open_source(source)
            sent(opened, url, verify=True, overwrite=overwrite, remote=remote)
        if kind == "directory":
            assert contents(there.filesystem, f"{there.name}/deep/{name}") == DEEP
        if kind != "tar":
            assert read(url, remote=remote) == DEEP
        with pytest.raises(TargetExistsError):
            sent(MemorySource(DEEP), url, remote=remote)
        missing = f"s3://no-such-bucket-{os.getpid()}/{name}"
        with pytest.raises(TargetError, match="no-such-bucket"):
            sent(MemorySource(DEEP), missing, remote=remote)
