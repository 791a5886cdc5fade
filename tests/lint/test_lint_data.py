"""Decoding every chunk: what cannot be read, many threads, and progress."""

import zipfile
import zlib
from pathlib import Path

import pytest

from helpers_lint import (
    CHUNK,
    MemorySource,
    array2,
    check_files,
    encoded,
    rules_found,
    write_database,
)
from zarrdb.lint import Options, check_file
from zarrdb.lint.run import check_source

GOOD = zlib.compress(CHUNK)
MANY = {
    "a/.zarray": array2(shape=[2000], compressor={"id": "zlib"}),
    ".zgroup": {"zarr_format": 2},
    **{f"a/{number}": GOOD for number in range(1000)},
    "a/17": GOOD[:-2] + b"xx",
    "a/999": GOOD[:-2] + b"xx",
}


def test_a_damaged_member_of_a_zip_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(".zarray", encoded(array2()))
        archive.writestr("0", CHUNK)
    path.write_bytes(path.read_bytes().replace(CHUNK, CHUNK[::-1]))
    assert not rules_found(check_file(path, Options(integrity=False)).findings, "error")
    report = check_file(path)
    (finding,) = [each for each in report.findings if each.level == "error"]
    assert (finding.rule, finding.keys) == ("container/corrupt", ("0",))
    assert report.integrity_checked
    decoded = check_file(path, Options(data=True, integrity=False))
    (finding,) = [each for each in decoded.findings if each.level == "error"]
    assert (finding.rule, finding.keys) == ("chunk/undecodable", ("0",))
    assert str(path) not in finding.message


@pytest.mark.parametrize("jobs", [None, 1, 3])
@pytest.mark.parametrize("in_file", [False, True])
def test_every_bad_chunk_is_found(jobs: int | None, in_file: bool, tmp_path: Path) -> None:
    options = Options(data=True, jobs=jobs)
    if in_file:
        report = check_file(write_database(str(tmp_path / "a.zarrdb"), MANY), options)
    else:
        report = check_source(MemorySource(MANY), options)
    (finding,) = [each for each in report.findings if each.level == "error"]
    assert (finding.rule, finding.count) == ("chunk/undecodable", 2)
    assert finding.keys == ("a/17", "a/999")
    assert report.data_checked


def test_nothing_is_decoded_unasked() -> None:
    assert not check_files(MANY).findings


def test_progress_counts_keys_and_bytes() -> None:
    seen: list[tuple[int, int]] = []

    def note(keys: int, size: int) -> None:
        seen.append((keys, size))

    check_source(MemorySource(MANY), Options(data=True, progress=note))
    assert seen[-1] == (len(MANY), sum(len(encoded(value)) for value in MANY.values()))
    assert seen == sorted(seen)
