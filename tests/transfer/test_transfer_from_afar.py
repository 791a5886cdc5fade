"""Copies of what is far away: over HTTP, out of a bucket."""

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from helpers_http import RangeServer, serving
from helpers_remote import hierarchy, write_ordered, write_plain
from helpers_s3 import bucket
from helpers_transfer import MemorySource, leftovers, require_sound, rows_of
from zarrdb.detect import open_source
from zarrdb.errors import (
    RangeError,
    RemoteBusyError,
    SourceChangedError,
    SourceError,
    StampChangedError,
    TargetExistsError,
    TrafficLimitError,
)
from zarrdb.transfer import engine, resume
from zarrdb.transfer.copy import CopyOptions, into_file
from zarrdb.transfer.read import Part
from zarrdb.transfer.report import CopyReport
from zarrdb.transport.options import RemoteOptions

ROWS = hierarchy(20_000)
VALUES = dict(ROWS)
LEFT = [".x.zarrdb.partial", ".x.zarrdb.partial.log"]


@pytest.fixture(autouse=True)
def one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


@pytest.fixture
def server() -> Iterator[RangeServer]:
    with serving() as running:
        running.multipart = "all"
        yield running


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a copy of what is near."""
    path = tmp_path_factory.mktemp("near") / "x.zarrdb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        into_file([Part(MemorySource(VALUES))], str(path), CopyOptions())
    return path.read_bytes()


def written(folder: Path, kind: str) -> bytes:
    path = folder / f"far.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for key, value in ROWS:
                archive.writestr(key, value)
    elif kind == "ordered":
        write_ordered(str(path), ROWS)
    else:
        write_plain(str(path), ROWS)
    return path.read_bytes()


def copy(url: str, path: Path, remote: RemoteOptions | None = None, **options: Any) -> CopyReport:
    source = open_source(url, remote=remote)
    try:
        return into_file([Part(source)], str(path), CopyOptions(**options))
    finally:
        source.close()


@pytest.mark.parametrize(("kind", "most"), [("zip", 12), ("ordered", 30), ("plain", 40)])
@pytest.mark.parametrize("verify", [False, True])
def test_files_come_in_waves(
    tmp_path: Path, server: RangeServer, expected: bytes, kind: str, most: int, verify: bool
) -> None:
    data = written(tmp_path, kind)
    report = copy(server.put("far", data), tmp_path / "x.zarrdb", verify=verify)
    assert (report.keys, report.verified) == (len(ROWS), verify)
    assert (tmp_path / "x.zarrdb").read_bytes() == expected
    # Verifying reads what was written, and nothing from afar a second time.
    assert len(server.log) <= most
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("deflated", [False, True])
def test_long_values_come_in_long_pieces(
    tmp_path: Path, server: RangeServer, monkeypatch: pytest.MonkeyPatch, deflated: bool
) -> None:
    monkeypatch.setattr(engine, "FAR", engine.Pace(1024, 8 << 20, 9 << 20))
    value = os.urandom(24 << 20)
    path = tmp_path / "far.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if deflated else 0) as archive:
        archive.writestr("zarr.json", VALUES["zarr.json"])
        archive.writestr("c/0", value)
    copy(server.put("far.zip", path.read_bytes()), tmp_path / "x.zarrdb", verify=True)
    assert rows_of(tmp_path / "x.zarrdb")["c/0"] == value
    assert len(server.log) < 20


def test_a_bucket(tmp_path: Path, expected: bytes) -> None:
    with bucket() as there:
        remote = RemoteOptions(storage_options=there.options)
        some = {key: value for key, value in ROWS if key.startswith(("zarr", "g0/a0", "g0/zarr"))}
        for key, value in some.items():
            there.filesystem.pipe_file(f"{there.name}/x.zarr/{key}", value)
        url = f"s3://{there.name}/x.zarr"
        copy(url, tmp_path / "x.zarrdb", remote, verify=True)
        assert rows_of(tmp_path / "x.zarrdb") == some
        require_sound(tmp_path / "x.zarrdb")
        there.filesystem.pipe_file(f"{there.name}/y.zarrdb", expected)
        copy(f"s3://{there.name}/y.zarrdb", tmp_path / "y.zarrdb", remote)
        assert (tmp_path / "y.zarrdb").read_bytes() == expected


def refusing(server: RangeServer, size: int) -> None:
    """The answer is 503 past two thirds of a file, but for the directory at its end."""
    record = server.record
    refused = range(size * 2 // 3, size - (100 << 10))

    def patched(seen: Any) -> Any:
        answer = record(seen)
        start = (seen.range or "").removeprefix("bytes=").partition("-")[0]
        return (503, {}) if start and int(start) in refused else answer

    server.record = patched  # type: ignore[method-assign]


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resume, "STEP_BYTES", 1)
    monkeypatch.setattr(engine, "FAR", engine.Pace(64, 1 << 20, 16 << 20))


def impatient(url: str) -> Any:
    """A source that does not wait before it asks again."""
    from zarrdb.db.remote import open_remote
    from zarrdb.sources.remote_zip import RemoteZipSource
    from zarrdb.transport.opening import open_reader

    reader = open_reader(url, sleep=lambda _: None)
    return RemoteZipSource(reader) if url.endswith("zip") else open_remote(reader)


def copied(url: str, path: Path, **options: Any) -> CopyReport:
    source = impatient(url)
    try:
        return into_file([Part(source)], str(path), CopyOptions(**options))
    finally:
        source.close()


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("kind", ["zip", "ordered"])
@pytest.mark.parametrize("again", [False, True])
def test_a_server_that_fails_in_the_middle(
    tmp_path: Path, server: RangeServer, expected: bytes, kind: str, again: bool
) -> None:
    data = written(tmp_path, kind)
    name = f"far.{kind}"
    url = server.put(name, data)
    copied(url, tmp_path / "y.zarrdb")
    sent, record = _sent(server), server.record
    server.log.clear()
    refusing(server, len(data))
    with pytest.raises((RemoteBusyError, SourceError)):
        copied(url, tmp_path / "x.zarrdb", resume=again)
    assert not (tmp_path / "x.zarrdb").exists()
    assert leftovers(tmp_path) == (LEFT if again else [])
    server.record = record  # type: ignore[method-assign]
    server.log.clear()
    report = copied(url, tmp_path / "x.zarrdb", resume=again)
    assert (tmp_path / "x.zarrdb").read_bytes() == expected
    assert (report.resumed > 0) is again
    if again:
        assert _sent(server) < sent


def _sent(server: RangeServer) -> int:
    """The bytes that were asked for."""
    total = 0
    for seen in server.log:
        for span in (seen.range or "bytes=").removeprefix("bytes=").split(","):
            start, _, stop = span.partition("-")
            total += int(stop) - int(start) + 1 if start and stop else 0
    return total


@pytest.mark.usefixtures("small_steps")
def test_a_file_that_is_replaced_leaves_nothing(tmp_path: Path, server: RangeServer) -> None:
    data = written(tmp_path, "zip")
    url = server.put("far.zip", data)
    record = server.record

    def replaced(seen: Any) -> Any:
        if len(server.log) == 6:
            server.put("far.zip", data[:-1] + b"!")
        return record(seen)

    server.record = replaced  # type: ignore[method-assign]
    with pytest.raises((StampChangedError, SourceChangedError)):
        copied(url, tmp_path / "x.zarrdb", resume=True)
    assert leftovers(tmp_path) == []


@pytest.mark.usefixtures("small_steps")
def test_another_file_at_the_same_url_is_no_continuation(
    tmp_path: Path, server: RangeServer
) -> None:
    data = written(tmp_path, "zip")
    url = server.put("far.zip", data)
    record = server.record
    refusing(server, len(data))
    with pytest.raises((RangeError, SourceError)):
        copied(url, tmp_path / "x.zarrdb", resume=True)
    server.record = record  # type: ignore[method-assign]
    changed = bytearray(data)
    changed[200] ^= 1
    server.put("far.zip", bytes(changed))
    with pytest.raises(TargetExistsError, match="the source has changed"):
        copied(url, tmp_path / "x.zarrdb", resume=True)


def test_a_signed_url_may_be_signed_anew(tmp_path: Path, server: RangeServer) -> None:
    """What a URL carries besides its path says nothing about the file."""
    url = server.put("far.zip", written(tmp_path, "zip"))
    one, two = (impatient(f"{url}?signature={n}.zip") for n in (1, 2))
    found = [resume.identity([], [source], page_size=4096, verify=False) for source in (one, two)]
    assert found[0] == found[1]


def test_a_cap_is_kept(tmp_path: Path, server: RangeServer) -> None:
    filesystem = fsspec.filesystem("memory")
    filesystem.pipe({f"/capped/x.zarr/{key}": value for key, value in ROWS[:80]})
    server.put("far.zip", written(tmp_path, "zip"))
    for url in (server.url("far.zip"), "memory://capped/x.zarr"):
        with pytest.raises(TrafficLimitError, match="more than 100000 bytes"):
            copy(url, tmp_path / "x.zarrdb", RemoteOptions(max_bytes=100_000))
        assert leftovers(tmp_path) == []
    filesystem.rm("/capped", recursive=True)
