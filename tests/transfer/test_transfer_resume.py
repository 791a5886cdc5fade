"""Copies that are interrupted, and go on where they stopped."""

import errno
import json
import os
import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers_transfer import GROUP, STORE, MemorySource, leftovers, require_sound, write_tree
from zarrdb.db.rows import RowWriter
from zarrdb.errors import (
    InUseError,
    NoSpaceError,
    SourceChangedError,
    SourceError,
    TargetExistsError,
    VerificationError,
)
from zarrdb.keys import Entry
from zarrdb.sources.directory import DirectorySource
from zarrdb.transfer import resume
from zarrdb.transfer.copy import CopyOptions, into_file
from zarrdb.transfer.read import Part
from zarrdb.transfer.report import CopyReport

LEFT = [".x.zarrdb.partial", ".x.zarrdb.partial.log"]


class Gone(BaseException):
    """What a signal raises."""


class Counted(MemorySource):
    """Counts how often each value is read; raises `Gone` at the read with a number."""

    def __init__(self, values: Mapping[str, bytes], *, stop: int | None = None) -> None:
        super().__init__(values)
        self.read: list[str] = []
        self.stop = stop

    def get(self, key: str) -> bytes | None:
        if self.stop is not None and len(self.read) >= self.stop:
            raise Gone
        self.read.append(key)
        return super().get(key)

    def newest(self) -> int:
        return 1_700_000_000


@pytest.fixture(autouse=True)
def every_batch_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resume, "STEP_BYTES", 1)


def values(count: int = 400, *, seed: int = 1) -> dict[str, bytes]:
    numbers = random.Random(seed)
    chunks = {
        f"a/c/{n}": numbers.randbytes(numbers.choice([0, 100, 4000, 50_000])) for n in range(count)
    }
    return {"zarr.json": GROUP, "a/c/big": b"b" * (5 << 20), **chunks, **STORE}


def copy(path: Path, *sources: MemorySource | DirectorySource, **options: Any) -> CopyReport:
    options = {"resume": True, **options}
    return into_file([Part(source) for source in sources], str(path), CopyOptions(**options))


def interrupted(path: Path, stop: int, found: dict[str, bytes], **options: Any) -> Counted:
    source = Counted(found, stop=stop)
    with pytest.raises(Gone):
        copy(path, source, **options)
    return source


@settings(max_examples=15, deadline=None)
@given(
    count=st.integers(100, 400),
    stops=st.lists(st.floats(0, 1), min_size=1, max_size=4),
    verify=st.booleans(),
    page_size=st.sampled_from([None, 512, 65536]),
)
def test_the_finished_file_is_that_of_one_run(
    tmp_path_factory: pytest.TempPathFactory,
    count: int,
    stops: list[float],
    verify: bool,
    page_size: int | None,
) -> None:
    folder = tmp_path_factory.mktemp("resume")
    found = values(count, seed=count)
    options = {"verify": verify, "page_size": page_size}
    copy(folder / "whole.zarrdb", Counted(found), **options, resume=False)
    for stop in [*(int(stop * 100) for stop in stops), None]:
        if not (folder / "x.zarrdb").exists():
            with suppress(Gone):
                report = copy(folder / "x.zarrdb", Counted(found, stop=stop), **options)
                assert report.keys == len(found)
    assert (folder / "x.zarrdb").read_bytes() == (folder / "whole.zarrdb").read_bytes()
    assert sorted(os.listdir(folder)) == ["whole.zarrdb", "x.zarrdb"]
    require_sound(folder / "x.zarrdb")


@pytest.mark.parametrize("verify", [False, True])
def test_what_is_done_is_not_read_again(tmp_path: Path, verify: bool) -> None:
    found = values()
    first = interrupted(tmp_path / "x.zarrdb", 200, found, verify=verify)
    assert leftovers(tmp_path) == LEFT
    second = Counted(found)
    report = copy(tmp_path / "x.zarrdb", second, verify=verify)
    # What was being read, but not yet on the disk, is one batch.
    assert len(set(first.read) & set(second.read)) <= 32
    assert len(second.read) == len(found) - report.resumed
    assert report.resumed >= 160
    assert report.verified is verify


def test_nothing_is_left_of_nothing(tmp_path: Path) -> None:
    interrupted(tmp_path / "x.zarrdb", 0, values())
    assert os.listdir(tmp_path) == []


def test_without_resume_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    interrupted(tmp_path / "x.zarrdb", 100, values(), resume=False)
    assert os.listdir(tmp_path) == []


def test_what_is_not_settled_counts_for_nothing(tmp_path: Path) -> None:
    """A kill or a power cut: bytes and lines after those that were settled, or half of them."""
    found = values()
    copy(tmp_path / "whole.zarrdb", Counted(found), resume=False)
    for cut in (0, 1, 40):
        interrupted(tmp_path / "x.zarrdb", 200, found)
        log, partial = tmp_path / LEFT[1], tmp_path / LEFT[0]
        lines = log.read_bytes()
        log.write_bytes(lines[:-cut] if cut else lines + b'{"rows": 3')
        with partial.open("r+b") as file:
            file.seek(0)
            file.write(b"\xff" * 2000)
            file.seek(0, os.SEEK_END)
            file.write(b"\xff" * 100_000)
        copy(tmp_path / "x.zarrdb", Counted(found))
        assert (tmp_path / "x.zarrdb").read_bytes() == (tmp_path / "whole.zarrdb").read_bytes()
        (tmp_path / "x.zarrdb").unlink()


def test_a_log_without_its_file_is_nothing(tmp_path: Path) -> None:
    found = values()
    interrupted(tmp_path / "x.zarrdb", 200, found)
    (tmp_path / LEFT[0]).unlink()
    assert copy(tmp_path / "x.zarrdb", Counted(found)).resumed == 0
    assert os.listdir(tmp_path) == ["x.zarrdb"]


class Later(Counted):
    def newest(self) -> int:
        return 1_700_000_001


def _other(found: dict[str, bytes]) -> Counted:
    source = Counted(found)
    source.name = "other"
    return source


@pytest.mark.parametrize(
    ("words", "source", "options"),
    [
        ("from another source", _other, {}),
        ("the source has changed", Later, {}),
        ("or the source has changed", lambda found: Counted({**found, "b/c/2": b"new"}), {}),
        ("or the source has changed", lambda found: Counted({**found, "a/c/3": b"other"}), {}),
        ("with other options", Counted, {"exclude": ("b/**",)}),
        ("with another page size", Counted, {"page_size": 65536}),
        ("with another --verify", Counted, {"verify": True}),
    ],
)
def test_another_command_is_refused(
    tmp_path: Path, words: str, source: Any, options: dict[str, Any]
) -> None:
    found = values()
    interrupted(tmp_path / "x.zarrdb", 100, found)
    before = (tmp_path / LEFT[0]).read_bytes()
    with pytest.raises(TargetExistsError, match=words) as error:
        copy(tmp_path / "x.zarrdb", source(found), **options)
    assert LEFT[0] in error.value.message
    assert error.value.hint == "--overwrite removes it and starts anew"
    assert (tmp_path / LEFT[0]).read_bytes() == before
    copy(tmp_path / "new.zarrdb", source(found), **options, resume=False)
    report = copy(tmp_path / "x.zarrdb", source(found), **options, overwrite=True)
    assert report.resumed == 0
    assert (tmp_path / "x.zarrdb").read_bytes() == (tmp_path / "new.zarrdb").read_bytes()
    assert leftovers(tmp_path) == []


def test_another_version_is_refused(tmp_path: Path) -> None:
    found = values()
    interrupted(tmp_path / "x.zarrdb", 100, found)
    first, _, rest = (tmp_path / LEFT[1]).read_bytes().partition(b"\n")
    told = json.loads(first)
    told["versions"] = ["0.0.1", "3.0.0"]
    (tmp_path / LEFT[1]).write_bytes(json.dumps(told).encode() + b"\n" + rest)
    with pytest.raises(TargetExistsError, match="by another version"):
        copy(tmp_path / "x.zarrdb", Counted(found))


def test_what_replaces_a_file_is_continued(tmp_path: Path) -> None:
    found = values()
    copy(tmp_path / "x.zarrdb", MemorySource(STORE), resume=False)
    before = (tmp_path / "x.zarrdb").read_bytes()
    interrupted(tmp_path / "x.zarrdb", 200, found, overwrite=True)
    assert (tmp_path / "x.zarrdb").read_bytes() == before
    assert copy(tmp_path / "x.zarrdb", Counted(found), overwrite=True).resumed >= 160


def test_a_stale_one_is_told(tmp_path: Path) -> None:
    found = values()
    interrupted(tmp_path / "x.zarrdb", 100, found)
    report = copy(tmp_path / "x.zarrdb", Counted(found), resume=False)
    (remark,) = report.of_kind("stale-partial")
    assert remark.key.endswith(LEFT[0])
    assert leftovers(tmp_path) == LEFT
    report = copy(tmp_path / "x.zarrdb", Counted(found), resume=False, overwrite=True)
    assert report.of_kind("stale-partial") == []
    assert leftovers(tmp_path) == []


def test_two_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    found = values()

    class Second(Counted):
        def get(self, key: str) -> bytes | None:
            if len(self.read) == 100:
                with pytest.raises(InUseError, match="another process"):
                    copy(tmp_path / "x.zarrdb", Counted(found))
            return super().get(key)

    copy(tmp_path / "x.zarrdb", Second(found))
    assert os.listdir(tmp_path) == ["x.zarrdb"]


def test_a_time_that_no_source_tells_is_that_of_the_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = values()
    source = MemorySource(found, broken={"a/c/90": Gone()})  # type: ignore[dict-item]
    with pytest.raises(Gone):
        copy(tmp_path / "x.zarrdb", source)
    told = json.loads((tmp_path / LEFT[1]).read_bytes().partition(b"\n")[0])["modified_at"]
    copy(tmp_path / "x.zarrdb", MemorySource(found))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    assert told.encode() in (tmp_path / "x.zarrdb").read_bytes()


class Odd(Counted):
    """Another value than the size that was listed."""

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        for key, size in super().entries(prefix, after):
            yield Entry(key, size + (key == "b/c/1"))


def test_a_source_that_changes_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SourceChangedError):
        copy(tmp_path / "x.zarrdb", Odd(values()))
    assert os.listdir(tmp_path) == []


def test_what_differs_from_its_source_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = RowWriter.put
    monkeypatch.setattr(RowWriter, "put", lambda self, k, v: put(self, k, b"?" * len(v)))
    with pytest.raises(VerificationError):
        copy(tmp_path / "x.zarrdb", Counted(values()), verify=True)
    assert os.listdir(tmp_path) == []


def test_unreadable_values_are_read_later(tmp_path: Path) -> None:
    found = values()
    lost = MemorySource(found, broken={"a/c/300": SourceError("memory: a/c/300: no")})
    with pytest.raises(SourceError, match="a/c/300"):
        copy(tmp_path / "x.zarrdb", lost)
    assert leftovers(tmp_path) == LEFT
    assert copy(tmp_path / "x.zarrdb", MemorySource(found)).resumed > 0


def test_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = values()
    calls = iter(range(1000))
    put = RowWriter.put

    def full(self: RowWriter, key: bytes, value: bytes) -> None:
        if next(calls) == 200:
            raise OSError(errno.ENOSPC, "No space left on device")
        put(self, key, value)

    with monkeypatch.context() as patch:
        patch.setattr(RowWriter, "put", full)
        with pytest.raises(NoSpaceError, match="--resume goes on from there"):
            copy(tmp_path / "x.zarrdb", Counted(found))
    assert copy(tmp_path / "x.zarrdb", Counted(found)).resumed >= 100


def test_no_room_for_anything_to_go_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(RowWriter, "put", full)
        with pytest.raises(NoSpaceError, match="nothing was left behind"):
            copy(tmp_path / "x.zarrdb", Counted(values()))
    assert leftovers(tmp_path) == []


def test_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "temp").mkdir()
    found = values()
    interrupted(tmp_path / "x.zarrdb", 100, found, temp_dir=str(tmp_path / "temp"))
    assert leftovers(tmp_path / "temp") == LEFT
    assert copy(tmp_path / "x.zarrdb", Counted(found), temp_dir=str(tmp_path / "temp")).resumed
    assert os.listdir(tmp_path / "temp") == []


def test_a_directory_that_changes_in_place(tmp_path: Path) -> None:
    """The same names and sizes, but other times."""
    folder = write_tree(tmp_path / "s.zarr", values(100))

    class Stopped(DirectorySource):
        def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
            for key in keys:
                if key.endswith("c/50"):
                    raise Gone
                yield key, self.get(key)

        def get_listed(
            self, entries: Iterable[tuple[str, int]]
        ) -> Iterator[tuple[str, bytes | None]]:
            return self.get_many([key for key, _ in entries])

    with pytest.raises(Gone):
        copy(tmp_path / "x.zarrdb", Stopped(folder))
    changed = folder / "a/c/1"
    changed.write_bytes(bytes(changed.stat().st_size))
    os.utime(changed, (2_000_000_000, 2_000_000_000))
    with pytest.raises(TargetExistsError, match="the source has changed"):
        copy(tmp_path / "x.zarrdb", DirectorySource(folder))
