"""Stores that other projects published: in, looked at, and out again, byte for byte.

Run with `--realdata DIR` (or ZARRDB_REALDATA), a folder with `manifest.jsonl`.
"""

import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from helpers_cli import run_in_process
from helpers_transfer import read_tree, require_sound, rows_of

# Without these a Blosc2 frame or another file is no store that can be copied.
KINDS = ("directory", "zip", "collection (not one store)")


def unpacked(archive: Path, work: Path, kind: str) -> Path:
    """The store in an archive of the collection, or itself where it is the store."""
    if kind == "zip":
        return archive
    with tarfile.open(archive) as members:
        members.extractall(work, filter="data")
    (found,) = work.iterdir()
    return found


def content(store: Path) -> dict[str, bytes]:
    """What should arrive, read without zarrdb."""
    if store.is_dir():
        return read_tree(store)
    with zipfile.ZipFile(store) as archive:
        # Of several members with one name the last counts.
        values = {i.filename: archive.read(i) for i in archive.infolist() if not i.is_dir()}
    tops = {name.partition("/")[0] for name in values}
    rooted = {"zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"} & values.keys()
    if len(tops) == 1 and not rooted:
        return {name.partition("/")[2]: value for name, value in values.items()}
    return values


def test_every_real_store_comes_out_as_it_went_in(realdata: Path, tmp_path: Path) -> None:
    lines = (realdata / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [entry for entry in map(json.loads, lines) if entry["kind"] in KINDS]
    assert entries
    for number, entry in enumerate(entries):
        work = tmp_path / str(number)
        (work / "in").mkdir(parents=True)
        name = entry["file"]
        store = unpacked(realdata / name, work / "in", entry["kind"])
        file, out = work / "x.zarrdb", work / "out"
        has_nodes = entry.get("arrays") or entry.get("groups")
        extra = [] if has_nodes and entry["kind"] in ("directory", "zip") else ["--any-keys"]
        made = run_in_process("import", store, file, "--keep-junk", "--verify", *extra)
        assert made.code == 0, f"{name}: {made.err}"
        expected = content(store)
        assert rows_of(file) == expected, name
        require_sound(file)
        checked = run_in_process("check", file, "--select", "container,key", "--fail-on", "error")
        assert checked.code == 0, f"{name}: {checked.out}{checked.err}"
        assert run_in_process("ls", "-R", file).code == 0, name
        back = run_in_process("export", file, out, "--verify")
        assert back.code == 0, f"{name}: {back.err}"
        assert read_tree(out) == expected, name


def test_junk_in_real_stores_is_counted_and_nothing_else_is_lost(
    realdata: Path, tmp_path: Path
) -> None:
    lines = (realdata / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [entry for entry in map(json.loads, lines) if entry["kind"] == "directory"]
    for number, entry in enumerate(entries):
        work = tmp_path / str(number)
        (work / "in").mkdir(parents=True)
        store = unpacked(realdata / entry["file"], work / "in", "directory")
        made = run_in_process("import", store, work / "x.zarrdb", "--json", "--any-keys")
        assert made.code == 0, f"{entry['file']}: {made.err}"
        report = json.loads(made.out)
        assert len(content(store)) == report["keys"] + report["left_out"], entry["file"]


@pytest.mark.parametrize("kind", ["b2nd", "b2frame", "gz"])
def test_what_is_no_store_is_refused_by_name(realdata: Path, tmp_path: Path, kind: str) -> None:
    lines = (realdata / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [entry for entry in map(json.loads, lines) if entry["kind"] == kind]
    for entry in entries:
        result = run_in_process("import", realdata / entry["file"], tmp_path / "x.zarrdb")
        assert result.code in (2, 3), entry["file"]
        assert "internal error" not in result.err
        assert not (tmp_path / "x.zarrdb").exists()
