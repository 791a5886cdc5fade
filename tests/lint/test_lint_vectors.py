"""Conformance files of the container format: everything they should be reported for is.

Expected reports are phrases; each kind of phrase belongs to a rule. Where the rule has
another level than the report, the rule holds.
"""

import json
import re
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers_lint import rules_found
from zarrdb.lint import check_file

SMALL = Path(__file__).parent / "vectors"

RULES: dict[tuple[str, str], tuple[str, ...]] = {
    ("metadata", "control characters"): ("container/created-by-control-character",),
    ("metadata", "created_by is not valid"): ("container/created-by-not-text",),
    ("extension", ""): ("container/wrong-extension",),
    ("space", ""): ("container/free-pages",),
    ("header", "after the last page"): ("container/trailing-bytes",),
    ("header", "format version"): ("container/corrupt",),
    ("key-encoding", "normalisation or case"): ("key/not-portable",),
    ("key-encoding", "NUL"): ("key/nul",),
    ("key-encoding", "not valid Unicode"): ("key/not-unicode",),
    ("key-syntax", "breaks the key rules"): ("key/invalid",),
    ("key-syntax", "unsafe"): ("key/unsafe",),
    ("key-syntax", ""): ("key/not-portable",),
    ("value-type", ""): ("key/value-not-blob",),
    ("null-value", "column v"): ("key/value-not-blob",),
    ("null-value", "column k"): ("key/not-text",),
    ("null-value", ""): ("container/bad-record",),
    ("not-null", ""): ("container/loose-schema",),
    ("key-type", ""): ("key/not-text",),
    ("schema", "unexpected column"): ("container/extra-column",),
    ("schema", "VARCHAR"): ("container/loose-schema",),
    ("schema", "differ in case"): ("container/loose-schema",),
    ("schema", ""): ("container/wrong-column",),
    ("modified-at", "not expressed in UTC"): ("container/modified-at-not-utc",),
    ("modified-at", ""): ("container/bad-modified-at",),
    ("metadata-unknown", ""): ("container/extra-record",),
    ("metadata-required", "more than one"): ("container/bad-record", "container/extra-record"),
    ("metadata-required", ""): ("container/bad-record",),
    ("version", "newer minor"): ("container/newer-minor-version",),
    ("version", ""): ("container/bad-version",),
    ("incompatible-flags", ""): ("container/unknown-incompatible-flag",),
    ("compatible-flags", ""): ("container/unknown-compatible-flag",),
    ("min-sqlite", ""): ("container/newer-sqlite",),
    ("uniqueness", "k is unique by|k is UNIQUE,"): ("container/loose-schema",),
    ("uniqueness", "only under"): ("container/wrong-collation",),
    ("uniqueness", ""): ("container/no-unique-key",),
    ("duplicate-key", ""): ("key/duplicate",),
    ("collation", ""): ("container/wrong-collation",),
    ("extra-object", "^tables? |virtual table"): ("container/extra-table",),
    ("extra-object", "trigger"): ("container/trigger",),
    ("extra-object", ""): ("container/extra-object",),
    ("tables", ""): ("container/missing-table",),
    ("application-id", ""): ("container/wrong-application-id",),
    ("legacy", ""): ("container/legacy-store",),
    ("sqlite-format", ""): ("container/unreadable", "container/corrupt"),
    ("integrity", "truncated|shorter"): ("container/truncated",),
    ("integrity", ""): ("container/corrupt",),
    ("journal", ""): ("container/wal-mode",),
    ("sidecar", "content not in the main file"): (
        "container/unmerged-log",
        "container/stale-sidecar",
    ),
    ("sidecar", "DELETE mode"): ("container/foreign-log",),
    ("sidecar", "^hot"): ("container/hot-journal",),
    ("sidecar", ""): ("container/stale-sidecar",),
    ("hierarchy", "not JSON|is empty"): ("json/invalid",),
    ("hierarchy", "byte order mark"): ("json/byte-order-mark",),
    ("hierarchy", "NaN"): ("json/bare-constant", "json/bare-constant-in-attributes"),
    ("hierarchy", "without an array"): ("chunk/orphan",),
    ("hierarchy", "wrong length"): ("chunk/wrong-length",),
    ("hierarchy", "parent group"): ("hierarchy/missing-group", "hierarchy/implicit-group"),
    ("hierarchy", "codec"): ("codec/unclaimed",),
    ("hierarchy", "dtype"): ("dtype/invalid", "dtype/unclaimed"),
}
"""For a topic and a phrase, by the first pattern that is found in it: one of these rules."""


def expected_rules(topic: str, phrase: str) -> tuple[str, ...]:
    for (known, pattern), rules in RULES.items():
        if known == topic and re.search(pattern, phrase):
            return rules
    raise AssertionError(f"no rule for {topic}: {phrase}")


@pytest.fixture(scope="session")
def folder(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A private copy of the files, so that nothing can happen to them."""
    target = tmp_path_factory.mktemp("sqlitestore")
    given = pytestconfig.getoption("--vectors")
    archive = Path(given or SMALL) / "sqlitestore" / "files.tar.gz"
    if not archive.exists():
        pytest.skip("no conformance files")
    with tarfile.open(archive) as tar:
        tar.extractall(target, filter="data")
    found = next(target.rglob("expected.json"))
    return found.parent


def described(folder: Path) -> Iterator[dict[str, Any]]:
    for file in json.loads((folder / "expected.json").read_text())["files"]:
        if (folder / file["file"]).exists():
            yield file


def test_everything_that_should_be_reported_is(folder: Path) -> None:
    missed = []
    for file in described(folder):
        report = check_file(folder / file["file"])
        found = rules_found(report.findings)
        for expected in file["report"]:
            rules = expected_rules(expected["topic"], expected["phrase"])
            if not found.intersection(rules):
                missed.append((file["file"], expected["phrase"], sorted(found)))
    assert not missed, "\n".join(map(str, missed))


def test_files_without_a_fault_have_no_finding_of_the_container(folder: Path) -> None:
    wrong = []
    for file in described(folder):
        if not file["report"]:
            report = check_file(folder / file["file"])
            found = {rule for rule in rules_found(report.findings) if rule.startswith("container/")}
            if found:
                wrong.append((file["file"], sorted(found)))
    assert not wrong, "\n".join(map(str, wrong))


def test_only_what_is_no_store_is_not_checked(folder: Path) -> None:
    wrong = []
    for file in described(folder):
        report = check_file(folder / file["file"])
        no_store = "container/unreadable" in rules_found(report.findings)
        if (report.status == "unreadable") != no_store:
            wrong.append((file["file"], report.status, report.error))
    assert not wrong, "\n".join(map(str, wrong))


def test_checking_changes_nothing(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in copy.iterdir()}
    for file in described(copy):
        check_file(copy / file["file"])
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in copy.iterdir()}
    assert after == before
