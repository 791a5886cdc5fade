"""`--fix`: what is repaired is gone afterwards, and nothing else has changed."""

import json
import shutil
from pathlib import Path

import pytest

from helpers_db import make_database
from helpers_lint import GROUP2, GROUP3, Files, array2, array3, encoded, rules_found
from helpers_lint_files import Writer, beside, database, in_wal_mode
from zarrdb.db import Database
from zarrdb.lint import Options, check_file
from zarrdb.lint.fix import plan

ALL = Options(limit=None)


def fixed(path: str) -> set[str]:
    """Repair a file; the rules whose findings were repaired."""
    planned = plan(path, check_file(path, ALL).findings)
    planned.apply()
    return {repair.rule for repair in planned.repairs}


def values(path: str) -> dict[str, bytes]:
    with Database.open(path, strict=False) as source:
        return {entry.key: source.get(entry.key) or b"" for entry in source.entries()}


COPY = {"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2}}

STORES: dict[str, tuple[Files, str]] = {
    "codec/empty-filters": ({".zarray": array2(filters=[], shape=[0])}, ".zarray"),
    "json/byte-order-mark": ({".zgroup": b"\xef\xbb\xbf" + encoded(GROUP2)}, ".zgroup"),
    "hierarchy/missing-group": (
        {"zarr.json": GROUP3, "a/b/zarr.json": array3(shape=[0])},
        "a/zarr.json",
    ),
    "hierarchy/implicit-group": (
        {".zgroup": GROUP2, "a/b/.zarray": array2(shape=[0])},
        "a/.zgroup",
    ),
    "consolidated/stale": (
        {
            ".zgroup": GROUP2,
            "a/.zarray": array2(shape=[0]),
            ".zmetadata": {**COPY, "metadata": {".zgroup": GROUP2, "a/.zarray": array2()}},
        },
        ".zmetadata",
    ),
    "consolidated/stale-attributes": (
        {".zgroup": GROUP2, ".zattrs": {"a": 1}, ".zmetadata": COPY},
        ".zmetadata",
    ),
    "consolidated/missing-node": (
        {".zgroup": GROUP2, "a/.zgroup": GROUP2, ".zmetadata": COPY},
        ".zmetadata",
    ),
    "consolidated/absent-node": (
        {
            ".zgroup": GROUP2,
            ".zmetadata": {**COPY, "metadata": {".zgroup": GROUP2, "b/.zgroup": GROUP2}},
        },
        ".zmetadata",
    ),
}
"""For a rule a store that it finds fault with, and the only key that may change."""

CONTAINERS: dict[str, Writer] = {
    "container/wrong-application-id": database(application_id=0),
    "container/bad-modified-at": database(more=[("modified_at", "yesterday")]),
    "container/modified-at-not-utc": database(more=[("modified_at", "2024-02-29T00:00:00+01:00")]),
    "container/wal-mode": in_wal_mode(keep_log=False),
    "container/unmerged-log": in_wal_mode(keep_log=True),
    "container/stale-sidecar": database(change=beside("-journal", bytes(512))),
}


@pytest.mark.parametrize("rule", STORES)
def test_a_document_is_repaired_and_no_other_changes(rule: str, tmp_path: Path) -> None:
    files, key = STORES[rule]
    path = database(files)(str(tmp_path))
    before = values(path)
    assert rule in rules_found(check_file(path).findings)
    assert rule in fixed(path)
    assert rules_found(check_file(path).findings, "error", "warning") == set()
    after = values(path)
    assert {
        name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
    } == {key}


@pytest.mark.parametrize("rule", CONTAINERS)
def test_a_container_is_repaired(rule: str, tmp_path: Path) -> None:
    path = CONTAINERS[rule](str(tmp_path))
    kept = values(path)
    assert rule in rules_found(check_file(path).findings)
    assert rule in fixed(path)
    assert rules_found(check_file(path).findings, "error", "warning") == set()
    assert values(path) == kept
    assert not list(Path(path).parent.glob("x.zarrdb-*"))


@pytest.mark.parametrize("left", [("-shm",), ("-wal",), ("-wal", "-shm"), ("-journal",)])
def test_what_was_left_beside_a_file_is_removed(left: tuple[str, ...], tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb", keys=[("a", b"1")])
    for suffix in left:
        Path(f"{path}{suffix}").write_bytes(bytes(0 if suffix == "-wal" else 512))
    assert "container/stale-sidecar" in {each.rule for each in check_file(path).findings}
    assert fixed(str(path)) == {"container/stale-sidecar"}
    assert [each.name for each in tmp_path.iterdir()] == ["x.zarrdb"]
    rules = [each.rule for each in check_file(path).findings]
    assert not any(rule.startswith("container/") for rule in rules)


def test_every_byte_beside_the_value_stays(tmp_path: Path) -> None:
    text = json.dumps(array2(filters=[], shape=[0]), indent=7).encode() + b"\n\n"
    path = database({".zarray": text})(str(tmp_path))
    fixed(path)
    assert values(path)[".zarray"] == text.replace(b"[]", b"null").replace(b"[ 0 ]", b"[ 0 ]")


def test_a_time_keeps_its_instant(tmp_path: Path) -> None:
    path = database(more=[("modified_at", "2024-02-29T00:30:00.5+01:00")])(str(tmp_path))
    fixed(path)
    with Database.open(path) as source:
        assert source.records()["modified_at"] == "2024-02-28T23:30:00.5Z"


def test_a_dry_run_writes_nothing_and_shows_the_change(tmp_path: Path) -> None:
    path = database(STORES["codec/empty-filters"][0])(str(tmp_path))
    before = Path(path).read_bytes()
    planned = plan(path, check_file(path, ALL).findings)
    lines = list(planned.diff())
    assert any(line.startswith("-") and '"filters": []' in line for line in lines)
    assert any(line.startswith("+") and '"filters": null' in line for line in lines)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize("rule", STORES)
def test_every_repair_of_a_document_shows_in_the_diff(rule: str, tmp_path: Path) -> None:
    path = database(STORES[rule][0])(str(tmp_path))
    lines = list(plan(path, check_file(path, ALL).findings).diff())
    assert any(line.startswith("+") and not line.startswith("+++") for line in lines)


BARE_FILL_VALUES: dict[str, Files] = {
    ".zmetadata": {
        ".zgroup": GROUP2,
        "a/.zarray": array2(dtype="<f4", fill_value=float("nan"), shape=[0]),
        ".zmetadata": COPY,
    },
    "zarr.json": {
        "zarr.json": {
            **GROUP3,
            "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {}},
        },
        "a/zarr.json": array3(data_type="complex64", fill_value=[float("inf"), 0.0], shape=[0]),
    },
}


@pytest.mark.parametrize("key", BARE_FILL_VALUES)
def test_a_copy_is_json_even_where_a_fill_value_is_none(key: str, tmp_path: Path) -> None:
    path = database(BARE_FILL_VALUES[key])(str(tmp_path))
    assert "consolidated/missing-node" in fixed(path)
    json.loads(values(path)[key], parse_constant=pytest.fail)
    left = rules_found(check_file(path).findings, "error", "warning")
    assert left == {"json/bare-constant"}


def test_what_must_not_be_written_is_refused(tmp_path: Path) -> None:
    trigger = "CREATE TRIGGER t AFTER UPDATE ON zarr BEGIN DELETE FROM zarr; END"
    path = database(STORES["codec/empty-filters"][0], after=(trigger,))(str(tmp_path))
    shutil.copy(path, tmp_path / "before")
    with pytest.raises(Exception, match="cannot be repaired"):
        fixed(path)
    assert Path(path).read_bytes() == (tmp_path / "before").read_bytes()
