"""Reports as other programs read them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from helpers_cli import Result
from helpers_lint import GROUP2, GROUP3, array2, encoded
from helpers_lint_files import database, plain

Cli = Callable[..., Result]

LEVELS = {"error", "warning", "note", "none"}


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A file, a directory, a clean file and one that is no store, named from where we are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b").mkdir()
    files = {".zgroup": GROUP2, "x/.zarray": array2(fill_value="7"), "p/q/.zgroup": GROUP2}
    database(files, name="é #1.zarrdb")(str(tmp_path / "a b"))
    for key, value in files.items():
        path = tmp_path / "dir.zarr" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encoded(value))
    database({"zarr.json": GROUP3}, name="clean.zarrdb")(str(tmp_path))
    plain(b"text", "none.zarrdb")(str(tmp_path))
    return ["a b/é #1.zarrdb", "dir.zarr", "clean.zarrdb", "none.zarrdb"]


def sarif(cli: Cli, *arguments: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(cli("check", "--format", "sarif", *arguments).out)
    return log


def test_sarif_has_what_the_standard_requires(cli: Cli, stores: list[str]) -> None:
    log = sarif(cli, *stores)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "zarrdb"
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert run["results"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in LEVELS
        assert result["message"]["text"]
        assert result["partialFingerprints"]["zarrdbFinding/v1"]
        (location,) = result["locations"]
        region = location["physicalLocation"].get("region", {})
        assert all(type(number) is int and number > 0 for number in region.values())
    for rule in rules:
        assert rule["defaultConfiguration"]["level"] in LEVELS
        assert rule["shortDescription"]["text"].endswith(".")


def test_sarif_uris_are_relative_and_encoded(cli: Cli, stores: list[str]) -> None:
    uris = {
        location["physicalLocation"]["artifactLocation"]["uri"]
        for result in sarif(cli, *stores)["runs"][0]["results"]
        for location in result["locations"]
    }
    assert {unquote(uri) for uri in uris} == {
        "a b/é #1.zarrdb",
        "dir.zarr/x/.zarray",
        "dir.zarr",
        "none.zarrdb",
    }
    assert not any(" " in uri or "#" in uri or uri.startswith("/") for uri in uris)


def test_sarif_fingerprints_outlive_other_values_and_lines(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seen = set()
    for text in (encoded(array2(fill_value="7")), b"\n\n" + encoded(array2(fill_value="seven"))):
        (tmp_path / "x.zarrdb").unlink(missing_ok=True)
        database({".zarray": text})(str(tmp_path))
        results = sarif(cli, "x.zarrdb", "--select", "fill-value")["runs"][0]["results"]
        seen |= {result["partialFingerprints"]["zarrdbFinding/v1"] for result in results}
    assert len(seen) == 1


def test_sarif_tells_what_could_not_be_read(cli: Cli, stores: list[str]) -> None:
    (invocation,) = sarif(cli, *stores)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 1
    (invocation,) = sarif(cli, "clean.zarrdb")["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is True


def test_github_annotates_errors_first_and_at_most_ten(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {f"a{n}/.zarray": array2(fill_value="%,:\n") for n in range(15)}
    database({".zgroup": GROUP2, "p/q/.zgroup": GROUP2, **files})(str(tmp_path))
    lines = cli("check", "--format", "github", "x.zarrdb").lines
    commands = [line for line in lines if line.startswith("::")]
    assert sum(line.startswith("::error ") for line in commands) == 10
    assert [line.split()[0] for line in commands] == sorted(
        (line.split()[0] for line in commands), key=["::error", "::warning", "::notice"].index
    )
    assert "5 more at level error not shown as annotations" in lines
    assert all("%25" in line.replace("%0A", "") for line in commands if "fill_value" in line)


def test_github_counts_what_could_not_be_read_as_errors(
    cli: Cli, stores: list[str], tmp_path: Path
) -> None:
    missing = [f"missing{number}.zarrdb" for number in range(12)]
    env = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    lines = cli("check", "--format", "github", *stores, *missing, env=env).lines
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == 10
    assert "::error file=missing0.zarrdb::cannot be read: does not exist" in errors
    assert any(line.endswith("more at level error not shown as annotations") for line in lines)
    text = (tmp_path / "summary.md").read_text()
    assert all(f"| error | {name} |  |  | cannot be read" in text for name in missing)


def test_github_points_into_directories(cli: Cli, stores: list[str]) -> None:
    out = cli("check", "--format", "github", *stores).out
    assert "file=dir.zarr/x/.zarray,line=1,col=" in out
    assert "file=a b/é #1.zarrdb::x/.zarray:1:" in out


@pytest.mark.parametrize("name", ["./dir.zarr/", "a b/../dir.zarr", "none.zarrdb", "./none.zarrdb"])
def test_github_is_given_paths_without_detours(cli: Cli, stores: list[str], name: str) -> None:
    lines = cli("check", "--format", "github", name).lines
    files = {
        line.split("file=")[1].split(",")[0].split("::")[0] for line in lines if "file=" in line
    }
    assert files
    assert {file.partition("/")[0] for file in files} <= {"dir.zarr", "none.zarrdb"}
    assert not any("//" in file for file in files)


def test_github_writes_a_summary_where_it_is_wanted(
    cli: Cli, stores: list[str], tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    env = {"GITHUB_STEP_SUMMARY": str(summary)}
    cli("check", *stores, env=env)
    assert summary.read_text() == "before\n"
    cli("check", "--format", "github", *stores, env=env)
    text = summary.read_text()
    assert text.startswith("before\n### zarrdb check")
    assert "| error | dir.zarr | x/.zarray:1:" in text


def test_junit_has_a_suite_a_file(cli: Cli, stores: list[str]) -> None:
    root = ElementTree.fromstring(cli("check", "--format", "junit", *stores).out)
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == stores
    assert suites["clean.zarrdb"].get("failures") == "0"
    assert suites["none.zarrdb"].get("errors") == "1"
    texts = [part.text or "" for part in root.findall("testsuite/testcase/*") if part.text]
    assert "is a text file" in texts
    assert all(text[0].isalnum() for text in texts)
    failed = suites["dir.zarr"].findall("testcase/failure/..")
    assert [case.get("name") for case in failed] == ["fill-value/wrong-type"]
    assert root.get("failures") == str(sum(int(suite.get("failures", "")) for suite in root))
    assert root.get("tests") == str(sum(len(suite) for suite in root))


def test_junit_fails_from_the_level_that_was_asked_for(cli: Cli, stores: list[str]) -> None:
    arguments = ("check", "--format", "junit", "--fail-on")
    root = ElementTree.fromstring(cli(*arguments, "warning", "dir.zarr").out)
    assert root.get("failures") == "2"
    root = ElementTree.fromstring(cli(*arguments, "never", "dir.zarr").out)
    assert root.get("failures") == "0"


def test_no_report_holds_control_characters(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    database({"zarr.json": GROUP3, "a\x1b[2J\x00//b": b"", "\ufffe//": b""})(str(tmp_path))
    for name in ("text", "github", "junit"):
        result = cli("check", "-v", "--format", name, "x.zarrdb")
        assert not any(ord(c) < 32 and c not in "\n\t" for c in result.out)
    ElementTree.fromstring(cli("check", "--format", "junit", "x.zarrdb").out)
