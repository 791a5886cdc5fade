"""Commands on a URL: what they print, what they fetch, and what goes wrong."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers_cli import Result, write_store
from helpers_http import RangeServer, serving
from helpers_lint import CHUNK, array3, group3

Cli = Callable[..., Result]

FILES = {
    "zarr.json": group3(attributes={"title": "far"}),
    "t/zarr.json": array3(),
    "t/c/0": CHUNK,
    "pad": bytes(3 << 20),
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RangeServer]:
    path = write_store(tmp_path / "x.zarrdb", FILES)
    with serving() as running:
        running.put("x.zarrdb", path.read_bytes())
        yield running


def test_ls_cat_and_info_take_a_url(cli: Cli, server: RangeServer) -> None:
    url = server.url("x.zarrdb")
    result = cli("ls", url)
    assert (result.code, result.lines, result.err) == (0, ["t"], "")
    assert {seen.method for seen in server.log} == {"GET"}
    assert cli("cat", url, "t/c/0").stdout == CHUNK
    assert json.loads(cli("cat", url, "--attributes", "").out) == {"title": "far"}
    assert cli("info", url, "t").code == 0
    assert cli("info", url).lines[0].startswith(url)


def test_verbose_tells_what_was_fetched(cli: Cli, server: RangeServer) -> None:
    result = cli("ls", "-v", server.url("x.zarrdb"))
    assert "note: " in result.err
    assert len(server.log) == 1
    assert ": 1 request, " in result.err
    assert result.err.rstrip().endswith(", 1 round trip")


def test_a_signed_url_stays_secret(cli: Cli, server: RangeServer) -> None:
    for name in ("x.zarrdb", "none.zarrdb"):
        result = cli("ls", "-vv", server.url(name) + "?Signature=SECRET")
        assert "SECRET" not in result.out + result.err
    assert result.code == 3
    assert "status 404" in result.err


def test_header_fields_come_from_storage_options(
    cli: Cli, server: RangeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.required = ("Authorization", "Bearer t0ken")
    url = server.url("x.zarrdb")
    refused = cli("ls", url)
    assert refused.code == 3
    assert "hint: give credentials with --storage-option" in refused.err
    monkeypatch.setenv("THE_TOKEN", "Bearer t0ken")
    option = "headers.Authorization=env:THE_TOKEN"
    assert cli("ls", url, "--storage-option", option).lines == ["t"]
    assert cli("ls", url, "--storage-option", "nothing").code == 2


def test_a_server_without_ranges_wants_a_download(
    cli: Cli, server: RangeServer, tmp_path: Path
) -> None:
    server.ranges = "none"
    url = server.url("x.zarrdb")
    result = cli("ls", url)
    assert result.code == 3
    assert "the server does not serve byte ranges (it answered 200" in result.err
    assert "hint: --download fetches the whole file (3.0 MiB) once" in result.err
    server.log.clear()
    folder = tmp_path / "temporary"
    folder.mkdir()
    assert cli("ls", url, "--download", "--temp-dir", folder).lines == ["t"]
    assert len(server.log) == 1
    assert list(folder.iterdir()) == []


def test_a_cap_is_kept(cli: Cli, server: RangeServer) -> None:
    result = cli("cat", server.url("x.zarrdb"), "pad", "--max-bytes", "1000000")
    assert (result.code, result.stdout) == (3, b"")
    assert "more than 1000000 bytes" in result.err


def test_import_takes_a_url(cli: Cli, server: RangeServer, tmp_path: Path) -> None:
    server.required = ("X-Key", "k")
    target = tmp_path / "copy.zarrdb"
    url = server.url("x.zarrdb") + "?sig=SECRET"
    result = cli("import", url, "-o", target, "--verify", "--storage-option", "headers.X-Key=k")
    assert result.code == 0
    assert "SECRET" not in result.out + result.err
    assert cli("cat", target, "pad").stdout == FILES["pad"]
    assert cli("import", url, "-o", tmp_path / "other.zarrdb").code == 3
    assert not (tmp_path / "other.zarrdb").exists()


def test_looking_reads_keys_and_no_rows(cli: Cli, server: RangeServer, tmp_path: Path) -> None:
    files = {**FILES, **{f"t/c/{i}": CHUNK * 3000 for i in range(1, 12)}}
    files["t/zarr.json"] = array3(shape=[24])
    path = write_store(tmp_path / "many.zarrdb", files)
    url = server.put("many.zarrdb", path.read_bytes())
    looks = [("ls", "-l"), ("info",), ("info", "--json"), ("ls", "--json"), ("ls", "--keys")]
    for arguments in looks:
        server.log.clear()
        result = cli(*arguments, url)
        assert result.code == 0
        assert len(server.log) <= 3
    row = cli("ls", "-l", url).lines[0].split("\t")
    assert row[4:7] == ["12/12", "?", "t"]
    found = json.loads(cli("info", "--json", url).out)
    assert found["hierarchy"]["chunks"] == 12
    assert found["hierarchy"]["chunk_bytes"] is None
    assert "remote     ready: opens in 1 request" in cli("info", url).out
    assert "12 of 12" in cli("info", url, "t").out


def test_a_large_key_index_is_counted_only_when_asked(
    cli: Cli, server: RangeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.url("x.zarrdb")
    monkeypatch.setattr("zarrdb.db.remote.INDEX_BYTES", 100)
    assert "keys not counted (--count counts them)" in cli("info", url).out
    assert json.loads(cli("info", "--json", url).out)["hierarchy"]["keys"] is None
    assert "keys not counted" not in cli("info", "--count", url).out
    assert cli("ls", "-l", url).lines[0].split("\t")[4] == ""
    assert cli("ls", "-l", "--count", url).lines[0].split("\t")[4] == "1/2"
