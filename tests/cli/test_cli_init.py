"""`zarrdb init`: a file that is whole, or none."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_cli import Result
from zarrdb.cli.init import _attributes
from zarrdb.db import Database

Cli = Callable[..., Result]


def documents(file: Path) -> dict[str, object]:
    with Database.open(file) as database:
        return {key: json.loads(database.get(key) or b"") for key in database.list()}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "new.zarrdb"


def test_default_is_an_empty_v3_group(cli: Cli, file: Path) -> None:
    assert cli("init", file) == Result(0, f"{file}: a Zarr v3 group\n".encode(), b"")
    assert documents(file) == {
        "zarr.json": {"zarr_format": 3, "node_type": "group", "attributes": {}}
    }
    assert os.listdir(file.parent) == ["new.zarrdb"]


def test_v2(cli: Cli, file: Path) -> None:
    assert cli("init", "--zarr-format", "2", file).code == 0
    assert documents(file) == {".zgroup": {"zarr_format": 2}}


def test_v2_with_attributes(cli: Cli, file: Path) -> None:
    assert cli("init", "--zarr-format", "2", "--attributes", '{"é": 1}', file).code == 0
    assert documents(file) == {".zgroup": {"zarr_format": 2}, ".zattrs": {"é": 1}}


def test_empty(cli: Cli, file: Path) -> None:
    result = cli("init", "--empty", file, "--json")
    members = {"file": str(file), "zarr_format": None, "status": "written"}
    assert json.loads(result.out) == {"schema": 1, **members}
    assert documents(file) == {}


def test_attributes_from_a_file(cli: Cli, file: Path, tmp_path: Path) -> None:
    given = tmp_path / "attributes.json"
    given.write_text('\ufeff{"long": 123456789012345678901234567890, "é": [1.5, null]}', "utf-8")
    assert cli("init", file, "--attributes", f"@{given}").code == 0
    document = documents(file)["zarr.json"]
    assert isinstance(document, dict)
    assert document["attributes"] == {
        "long": 123456789012345678901234567890,
        "é": [1.5, None],
    }


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("[1]", "--attributes: attributes are a JSON object"),
        ("{", "--attributes: not valid JSON: "),
        ('{"a": NaN}', "--attributes: not valid JSON: NaN is no JSON"),
        ('{"a": 1e999}', "--attributes: not valid JSON: "),
        ('{"a": "\\ud800"}', "--attributes: not valid JSON: "),
        ("[" * 100000, "--attributes: not valid JSON: "),
        ("@/no/such/file", "/no/such/file: no such file or directory"),
        ("@/", "/: is a directory"),
    ],
)
def test_bad_attributes_make_no_file(cli: Cli, file: Path, attributes: str, message: str) -> None:
    result = cli("init", file, "--attributes", attributes)
    assert result.code == 2
    assert result.err.startswith(f"zarrdb: {message}")
    assert os.listdir(file.parent) == []


def test_empty_excludes_attributes(cli: Cli, file: Path) -> None:
    assert cli("init", file, "--empty", "--attributes", "{}").code == 2
    assert not file.exists()


def a_file(path: Path) -> None:
    path.write_bytes(b"x")


def an_empty_file(path: Path) -> None:
    path.touch()


def a_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def a_folder(path: Path) -> None:
    path.mkdir()


def a_store(path: Path) -> None:
    Database.open(path, mode="create").close()


@pytest.mark.parametrize(
    "make",
    [a_file, an_empty_file, a_dangling_link, a_folder, a_store],
    ids=lambda make: make.__name__,
)
def test_what_exists_is_left_alone(cli: Cli, file: Path, make: Callable[[Path], None]) -> None:
    make(file)
    before = file.lstat()
    result = cli("init", file)
    assert result.code == 3
    assert result.err.startswith(f"zarrdb: {file}: ")
    assert file.lstat() == before
    assert os.listdir(file.parent) == [file.name]


def test_a_url_is_no_file(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = cli("init", "https://me:secret@host/new.zarrdb")
    assert result.code == 2
    assert result.err.startswith("zarrdb: https://…@host/new.zarrdb: a local file is wanted")
    assert os.listdir(tmp_path) == []


def test_names_are_printed_escaped(cli: Cli, tmp_path: Path) -> None:
    result = cli("init", tmp_path / "a\x1b[31m\nb.zarrdb")
    assert result.code == 0
    assert result.out.endswith("/a\\x1b[31m\\x0ab.zarrdb: a Zarr v3 group\n")


def test_no_folder(cli: Cli, tmp_path: Path) -> None:
    result = cli("init", tmp_path / "no" / "new.zarrdb")
    assert result.code == 3
    assert result.err.startswith(f"zarrdb: {tmp_path / 'no' / 'new.zarrdb'}: ")
    assert "internal" not in result.err
    assert os.listdir(tmp_path) == []


def test_nothing_stays_when_writing_fails(
    cli: Cli, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Database, "set_many", fail)
    assert cli("init", file).code == 130
    assert os.listdir(file.parent) == []


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
def test_a_full_disk_is_told_of_the_file_that_was_to_be(tmp_path: Path) -> None:
    limited = 'ulimit -f 8; exec "$@"'
    words = [sys.executable, "-m", "zarrdb", "init", "new.zarrdb"]
    done = subprocess.run(
        ["bash", "-c", limited, "bash", *words], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 3
    first, second = done.stderr.decode().splitlines()
    assert first == "zarrdb: new.zarrdb: past the limit on the size of files"
    assert second.startswith("hint: ")
    assert os.listdir(tmp_path) == []


@given(
    st.dictionaries(
        st.text(), st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
    )
)
def test_attributes_are_taken_as_json_has_them(attributes: dict[str, object]) -> None:
    assert _attributes(json.dumps(attributes)) == attributes


def test_the_mode_follows_the_umask(cli: Cli, file: Path) -> None:
    before = os.umask(0o027)
    try:
        assert cli("init", file).code == 0
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o777 == 0o640


def test_same_time_same_bytes(cli: Cli, tmp_path: Path) -> None:
    files = [tmp_path / "a.zarrdb", tmp_path / "b.zarrdb"]
    for file in files:
        assert cli("init", file, env={"SOURCE_DATE_EPOCH": "1000000000"}).code == 0
    assert files[0].read_bytes() == files[1].read_bytes()


def test_what_exists_is_replaced_or_left(cli: Cli, file: Path) -> None:
    assert cli("init", file, "--attributes", '{"old": 1}').code == 0
    file.chmod(0o640)
    before = file.read_bytes()
    assert cli("init", file).code == 3
    skipped = cli("init", file, "--skip-existing")
    assert skipped == Result(0, f"{file}: exists, skipped\n".encode(), b"")
    assert json.loads(cli("init", file, "--skip-existing", "--json").out)["status"] == "skipped"
    assert file.read_bytes() == before
    link = file.with_name("link.zarrdb")
    link.symlink_to(file.name)
    assert cli("init", link, "--overwrite", "--zarr-format", "2").code == 0
    assert link.is_symlink()
    assert documents(file) == {".zgroup": {"zarr_format": 2}}
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(file.parent)) == ["link.zarrdb", "new.zarrdb"]
    assert cli("init", file, "--overwrite", "--skip-existing").code == 2


def test_only_a_zarrdb_is_replaced(cli: Cli, file: Path) -> None:
    file.write_text("my thesis")
    result = cli("init", file, "--overwrite")
    assert (result.code, result.out) == (3, "")
    assert result.err.endswith("hint: name another file, or delete this one yourself\n")
    assert file.read_text() == "my thesis"
    assert os.listdir(file.parent) == [file.name]


def test_a_file_in_use_is_not_replaced(cli: Cli, file: Path) -> None:
    assert cli("init", file).code == 0
    before = file.read_bytes()
    with Database.open(file) as database, database.snapshot():
        database.get("zarr.json")
        result = cli("init", file, "--overwrite", "--timeout", "0")
    assert (result.code, "in use" in result.err) == (3, True)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]
