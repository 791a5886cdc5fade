"""`zarrdb export` to URLs."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers_cli import Result
from helpers_objects import ObjectStore, contents, objects
from helpers_s3 import bucket
from helpers_transfer import STORE, read_tree, write_tree

Cli = Callable[..., Result]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def store() -> Iterator[type[ObjectStore]]:
    with objects() as found:
        yield found


@pytest.fixture
def file(tmp_path: Path, cli: Cli) -> str:
    write_tree(tmp_path / "s.zarr", STORE)
    assert cli("import", "s.zarr").code == 0
    return "s.zarrdb"


def test_a_directory_and_a_file(cli: Cli, file: str, store: type[ObjectStore]) -> None:
    result = cli("export", file, "objects://b/x.zarr", "--verify")
    assert result.code == 0, result.err
    assert result.out.startswith("s.zarrdb -> objects://b/x.zarr: 17 keys, ")
    assert contents(store(), "/b/x.zarr") == STORE
    result = cli("export", file, "objects://b/x.zarrdb", "--json")
    assert json.loads(result.out)["target"] == "objects://b/x.zarrdb"
    assert store().cat_file("/b/x.zarrdb") == Path(file).read_bytes()
    assert sorted(os.listdir()) == ["s.zarr", "s.zarrdb"]


def test_what_stands_there(cli: Cli, file: str, store: type[ObjectStore]) -> None:
    for name in ("x.zarr", "x.zip"):
        url = f"objects://b/{name}?secret"
        assert cli("export", file, url).code == 0
        before = dict(store.store)
        refused = cli("export", file, url)
        assert refused.code == 3
        assert f"zarrdb: objects://b/{name}" in refused.err
        assert "secret" not in refused.err
        assert "--overwrite" in refused.err
        skipped = cli("export", file, url, "--skip-existing")
        assert (skipped.code, skipped.err) == (0, "")
        assert "exists, skipped" in skipped.out
        assert store.store == before
        assert cli("export", file, url, "--overwrite").code == 0
    assert cli("export", file, "objects://b/new.zarr", "--skip-existing").code == 0


def test_a_fault_in_the_middle(cli: Cli, file: str, store: type[ObjectStore]) -> None:
    def fail(operation: str, path: str) -> None:
        if operation == "put" and path.endswith("/a/zarr.json"):
            raise PermissionError(13, "Permission denied")

    store.before = fail
    result = cli("export", file, "objects://b/x.zarr")
    assert result.code == 3
    assert result.err.splitlines()[0] == (
        "zarrdb: objects://b/x.zarr: cannot be written: Permission denied; up to 14 values are"
        " left there, without any document"
    )
    store.before = None
    assert "no node in it" in cli("ls", "objects://b/x.zarr").err


def test_a_file_url_is_a_path(cli: Cli, file: str, tmp_path: Path) -> None:
    for name in ("x.zarr", "x.zip", "x.zarrdb"):
        result = cli("export", file, f"file://{tmp_path}/{name}")
        assert result.code == 0, result.err
        assert (tmp_path / name).exists()
    assert read_tree(tmp_path / "x.zarr") == STORE


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["https://example.org/x.zarr"], "a web server cannot be written to"),
        (["objects://b/x.zarr", "--resume"], "--resume is for a .zarrdb that is written here"),
        (["objects://b/x.zarrdb", "--resume"], "--resume is for a .zarrdb that is written here"),
        (["objects://b/x.zarr", "--storage-option", "x"], "KEY=VALUE"),
        (["nothing://b/x.zarr"], "nothing"),
    ],
)
@pytest.mark.usefixtures("store")
def test_mistakes(cli: Cli, file: str, arguments: list[str], words: str) -> None:
    result = cli("export", file, *arguments)
    assert result.code == 2
    assert words in result.err


def test_s3(cli: Cli, file: str) -> None:
    with bucket() as there:
        endpoint = there.options["client_kwargs"]["endpoint_url"]
        options = ["key=a", "secret=b", f"client_kwargs.endpoint_url={endpoint}"]
        reach = [word for option in options for word in ("--storage-option", option)]
        url = f"s3://{there.name}/x.zarr"
        assert cli("export", file, url, "--verify", *reach).code == 0
        assert contents(there.filesystem, f"{there.name}/x.zarr") == STORE
        assert cli("export", url, "back.zarrdb", *reach).code == 0
        assert cli("export", url, f"s3://{there.name}/y.zip", *reach).code == 0
        assert cli("ls", f"s3://{there.name}/y.zip", *reach).lines == ["a", "b"]
