"""`zarrdb check` as people and programs see it."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers_cli import Result
from helpers_lint import CHUNK, GROUP2, GROUP3, array2, encoded
from helpers_lint_files import database, plain
from helpers_other import other_process

Cli = Callable[..., Result]

posix = pytest.mark.skipif(sys.platform == "win32", reason="symbolic links and devices")

BAD_FILL = {
    ".zgroup": GROUP2,
    "temperature/.zarray": b'{\n "zarr_format": 2,\n "shape": [4],\n "chunks": [2],\n'
    b' "dtype": "|u1",\n "compressor": null,\n "fill_value": 300,\n "order": "C",\n'
    b' "filters": null\n}',
}


def store(folder: Path, files: dict[str, Any], name: str = "x.zarrdb") -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    return Path(database(files, name=name)(str(folder)))


def directory(folder: Path, files: dict[str, Any]) -> Path:
    for key, value in files.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encoded(value))
    return folder


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return store(tmp_path / "good", {"zarr.json": GROUP3})


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    return store(tmp_path / "bad", BAD_FILL)


def document(result: Result) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(result.out)
    return value


def test_a_clean_file_is_one_line_and_exit_0(cli: Cli, good: Path) -> None:
    result = cli("check", good)
    assert result.code == 0
    assert len(result.lines) == 1
    assert result.lines[0].startswith("1 file: 1 clean; 1 document, ")


def test_a_finding_has_its_place_rule_message_and_hint(cli: Cli, bad: Path) -> None:
    result = cli("check", bad)
    assert result.code == 1
    assert result.lines[0].startswith(
        f"{bad}: temperature/.zarray:7:16: error[fill-value/out-of-range] "
    )
    assert "1 with findings (1 error)" in result.lines[-1]


def test_quiet_drops_the_summary_and_no_finding(cli: Cli, good: Path, bad: Path) -> None:
    assert cli("check", "-q", good).out == ""
    result = cli("check", "-q", bad)
    assert result.code == 1
    assert "fill-value/out-of-range" in result.out


def test_infos_are_shown_when_asked_for(cli: Cli, tmp_path: Path) -> None:
    path = store(tmp_path, {".zarray": array2(), "0": CHUNK})
    assert "chunk/missing" not in cli("check", path).out
    assert "1 info (-v)" in cli("check", path).out
    assert "chunk/missing" in cli("check", "-v", path).out


def test_json_has_every_member_of_the_contract(cli: Cli, good: Path, bad: Path) -> None:
    result = cli("check", "--json", good, bad)
    assert result.code == 1
    assert result.out.startswith('{"schema": 1, ')
    report = document(result)
    assert {"schema", "zarrdb", "config", "files", "summary"} <= report.keys()
    assert [file["status"] for file in report["files"]] == ["checked", "checked"]
    file = report["files"][1]
    assert {"file", "kind", "error", "documents", "keys", "data_checked"} <= file.keys()
    (finding,) = [f for f in file["findings"] if f["level"] == "error"]
    assert finding["rule"] == "fill-value/out-of-range"
    assert finding["key"] == "temperature/.zarray"
    assert finding["pointer"] == "/fill_value"
    assert (finding["line"], finding["column"]) == (7, 16)
    assert finding["count"] == 1
    assert finding["fixable"] is False
    assert finding["message"]
    assert {"node", "hint"} <= finding.keys()
    assert report["summary"] == {
        "files": 2,
        "clean": 1,
        "unreadable": 0,
        "errors": 1,
        "warnings": 0,
        "infos": 1,
        "fixed": 0,
        "baseline": 0,
    }


def test_json_is_the_same_every_time(cli: Cli, bad: Path) -> None:
    assert cli("check", "--json", bad).out == cli("check", "--json", bad).out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 0),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "info"], 1),
        (["--fail-on", "never"], 0),
        (["--level", "hierarchy/implicit-group=error"], 1),
        (["--level", "hierarchy=info", "--fail-on", "warning"], 0),
        (["--fail-on", "warning", "--ignore", "hierarchy/implicit-group"], 0),
        (["--fail-on", "warning", "--select", "container,key"], 0),
        (["--fail-on", "warning", "--select", "hierarchy/*"], 1),
    ],
)
def test_levels_and_selection_decide_the_exit_code(
    cli: Cli, tmp_path: Path, options: list[str], code: int
) -> None:
    path = store(tmp_path, {".zgroup": GROUP2, "a/b/.zarray": array2(shape=[0])})
    assert cli("check", *options, path).code == code


def test_require_chunks_is_short_for_a_level(cli: Cli, tmp_path: Path) -> None:
    path = store(tmp_path, {".zarray": array2(), "0": CHUNK})
    assert cli("check", path).code == 0
    result = cli("check", "--require-chunks", path)
    assert result.code == 1
    assert "error[chunk/missing] 1 of 2 chunks absent" in result.out


def test_what_is_no_store_is_exit_3_and_the_others_are_checked(
    cli: Cli, tmp_path: Path, good: Path, bad: Path
) -> None:
    text = plain(b"just a text\n", "note.zarrdb")(str(tmp_path))
    result = cli("check", "--json", text, tmp_path / "none.zarrdb", good, bad)
    assert result.code == 3
    files = document(result)["files"]
    assert [file["status"] for file in files] == ["unreadable", "unreadable", "checked", "checked"]
    assert [finding["rule"] for finding in files[0]["findings"]] == ["container/unreadable"]
    assert files[0]["error"]
    assert document(result)["summary"]["unreadable"] == 2


@posix
def test_what_cannot_be_read_says_so_once(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.symlink("loop", "loop")
    result = cli("check", "loop")
    assert result.code == 3
    assert result.lines[0] == "loop: cannot be read: too many levels of symbolic links"
    folder = directory(tmp_path / "s.zarr", {"zarr.json": GROUP3})
    os.symlink("nothing", folder / "broken")
    os.mkfifo(folder / "fifo")
    os.symlink(tmp_path, folder / "outside")
    messages = [line.split("] ")[-1] for line in cli("check", "s.zarr").lines[:-1]]
    assert messages == [
        "a link that leads nowhere: no such file or directory",
        "neither a file nor a directory: a FIFO",
        "a link that leads to a directory that it lies in",
    ]


def test_a_lock_is_waited_for_as_long_as_was_said(cli: Cli, good: Path) -> None:
    with other_process(good) as writer:
        writer.run("BEGIN EXCLUSIVE")
        result = cli("check", "--timeout", "0.01", good)
    assert result.code == 3
    assert "cannot be read: locked by another process for 0.01 s" in result.lines[0]


def test_a_damaged_file_is_a_finding(cli: Cli, tmp_path: Path, good: Path) -> None:
    cut = tmp_path / "cut.zarrdb"
    cut.write_bytes(good.read_bytes()[:-100])
    result = cli("check", cut)
    assert result.code == 1
    assert "error[container/truncated]" in result.out


def test_a_directory_is_searched_for_files(cli: Cli, tmp_path: Path) -> None:
    store(tmp_path / "shipped" / "deep", {"zarr.json": GROUP3}, "b.zarrdb")
    store(tmp_path / "shipped", {"zarr.json": GROUP3}, "a.zarrdb")
    (tmp_path / "shipped" / "note.txt").write_text("x")
    files = document(cli("check", "--json", tmp_path / "shipped"))["files"]
    assert [Path(file["file"]).name for file in files] == ["a.zarrdb", "b.zarrdb"]


def test_a_directory_without_anything_is_exit_2(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = cli("check", tmp_path / "empty")
    assert result.code == 2
    assert result.out == ""
    assert "nothing to check" in result.err


def test_directory_stores_side_by_side_are_no_hierarchy(cli: Cli, tmp_path: Path) -> None:
    for name in ("a.zarr", "b.ome.zarr"):
        directory(tmp_path / "shipped" / name, {"zarr.json": GROUP3})
    result = cli("check", tmp_path / "shipped")
    assert (result.code, result.out) == (2, "")
    assert str(tmp_path / "shipped" / "a.zarr") in result.err.splitlines()[1]
    assert cli("check", *(tmp_path / "shipped").iterdir()).code == 0


def test_directory_stores_that_a_search_passes_over_are_told(cli: Cli, tmp_path: Path) -> None:
    store(tmp_path / "shipped", {"zarr.json": GROUP3}, "x.zarrdb")
    directory(tmp_path / "shipped" / "a.zarr", {"zarr.json": GROUP3, "in.zarr/zarr.json": GROUP3})
    directory(tmp_path / "shipped" / "deep" / "b", {".zgroup": GROUP2, "c/.zgroup": GROUP2})
    result = cli("check", "--json", tmp_path / "shipped")
    assert [Path(file["file"]).name for file in document(result)["files"]] == ["x.zarrdb"]
    assert f"note: {tmp_path}/shipped/a.zarr and 1 more: not checked" in result.err
    assert cli("check", "-q", tmp_path / "shipped").err == ""


def test_nodes_without_a_root_are_a_store(cli: Cli, tmp_path: Path) -> None:
    path = directory(tmp_path / "x", {"temperature/.zgroup": GROUP2, "in.zarr/.zgroup": GROUP2})
    assert "hierarchy/missing-group" in cli("check", path).out


def test_a_folder_that_cannot_be_searched_is_exit_3(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path / "shipped", {"zarr.json": GROUP3})
    closed = tmp_path / "shipped" / "closed"
    closed.mkdir()
    scandir = os.scandir

    def refuse(path: Any) -> Any:
        if os.fspath(path).rstrip("/") == str(closed):
            raise PermissionError(13, "Permission denied", str(closed))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    result = cli("check", tmp_path / "shipped")
    assert result.code == 3
    assert f"{closed}: cannot be read: permission denied" in result.out
    assert "2 files: 1 clean, 1 not read" in result.out


def test_a_directory_store_is_checked_as_such(cli: Cli, tmp_path: Path) -> None:
    path = directory(tmp_path / "x.zarr", {**BAD_FILL, "a/b/.zgroup": GROUP2})
    result = cli("check", path)
    assert result.code == 1
    assert f"{path}: temperature/.zarray:7:16: error[fill-value/out-of-range]" in result.out
    assert f"{path}: a: warning[hierarchy/implicit-group]" in result.out


@pytest.mark.parametrize(
    "names", [b"good/x.zarrdb\nbad/x.zarrdb\n", b"good/x.zarrdb\0bad/x.zarrdb"]
)
def test_names_come_from_a_file_or_stdin(
    cli: Cli, tmp_path: Path, good: Path, bad: Path, monkeypatch: pytest.MonkeyPatch, names: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names").write_bytes(names)
    null = ["-0"] if b"\0" in names else []
    result = cli("check", "--files-from", "names", *null)
    assert "2 files: 1 clean" in result.out
    assert cli("check", "--files-from", "-", *null, stdin=names).code == result.code == 1


def test_an_empty_list_of_names_is_exit_2(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "names").write_text("\n")
    assert cli("check", "--files-from", tmp_path / "names").code == 2
    assert cli("check").code == 2


def test_findings_of_one_rule_are_capped_and_counted(cli: Cli, tmp_path: Path) -> None:
    files = {"zarr.json": GROUP3, **{f"a//{number:03}": b"" for number in range(50)}}
    path = store(tmp_path, files)
    assert cli("check", path).out.count("error[key/invalid]") == 20
    assert "[key/invalid] … and 30 more" in cli("check", path).out
    assert "50 errors" in cli("check", path).out
    assert cli("check", "--max-findings", "3", path).out.count("error[key/invalid]") == 3
    assert cli("check", "--max-findings", "all", path).out.count("error[key/invalid]") == 50
    report = document(cli("check", "--json", "--max-findings", "3", path))
    assert report["files"][0]["omitted"] == {"key/invalid": 47}
    assert report["summary"]["errors"] == 50


@pytest.mark.parametrize(
    "options",
    [
        ["--select", "nonsense"],
        ["--ignore", "container/wal-mod"],
        ["--level", "container/wal-mode"],
        ["--level", "container/wal-mode=fatal"],
        ["--max-findings", "many"],
        ["--max-findings", "-1"],
        ["--fail-on", "critical"],
        ["--json", "--format", "sarif"],
        ["--json", "--format", "text"],
        ["--write-baseline", ""],
        ["--report", "json=s3://bucket/report.json"],
        ["--report", "json=twice", "--report", "sarif=./twice"],
        ["--report", "json=twice", "--write-baseline", "twice"],
        ["--no-such-option"],
    ],
)
def test_wrong_options_are_exit_2(cli: Cli, good: Path, options: list[str]) -> None:
    result = cli("check", *options, good)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("zarrdb: ")


def test_an_unknown_rule_brings_near_ones(cli: Cli, good: Path) -> None:
    assert "container/wal-mode" in cli("check", "--explain", "container/wal-mod").err


def test_explain_prints_the_page_of_a_rule(cli: Cli) -> None:
    result = cli("check", "--explain", "container/wal-mode")
    assert result.code == 0
    assert result.lines[0] == "container/wal-mode"
    assert "Why:" in result.out
    assert "Fix:" in result.out


def test_list_rules_shows_levels_of_this_run(cli: Cli) -> None:
    result = cli("check", "--list-rules", "--level", "container/wal-mode=error", "--ignore", "key")
    rows = {row.split("\t")[0]: row.split("\t")[1] for row in result.lines}
    assert rows["container/wal-mode"] == "error"
    assert rows["key/invalid"] == "off"
    lines = cli("check", "--list-rules", "--json").lines
    assert all(json.loads(line)["schema"] == 1 for line in lines)
    assert len(lines) == len(rows)


def test_nothing_that_a_key_holds_reaches_a_terminal(cli: Cli, tmp_path: Path) -> None:
    path = store(tmp_path, {"zarr.json": GROUP3, "a\x1b[2J/": b"", "b\nc//d": b""})
    result = cli("check", "-v", path)
    assert "\x1b" not in result.out
    assert "b\\x0ac//d: error[key/invalid]" in result.out


def test_colour_is_for_those_who_ask(cli: Cli, bad: Path) -> None:
    assert "\x1b[" not in cli("check", bad).out
    assert "\x1b[" in cli("check", "--color", "always", bad).out
    assert "\x1b[" in cli("check", bad, terminal=True).out
    assert "\x1b[" not in cli("check", bad, terminal=True, env={"NO_COLOR": "1"}).out


def test_fix_repairs_and_reports_what_is_left(cli: Cli, tmp_path: Path) -> None:
    files = {**BAD_FILL, "a/.zarray": array2(filters=[], shape=[0])}
    path = store(tmp_path, files)
    result = cli("check", "--fix", "--json", path)
    assert result.code == 1
    assert "fixed: " in result.err
    report = document(result)
    assert report["summary"]["fixed"] == 1
    rules = {finding["rule"] for finding in report["files"][0]["findings"]}
    assert "codec/empty-filters" not in rules
    assert "fill-value/out-of-range" in rules


def test_a_dry_run_shows_a_diff_and_changes_nothing(cli: Cli, tmp_path: Path) -> None:
    path = store(tmp_path, {".zarray": array2(filters=[], shape=[0])})
    before = path.read_bytes()
    result = cli("check", "--fix", "--dry-run", path)
    assert "+++ " in result.out
    assert "would be fixed: " in result.err
    assert path.read_bytes() == before
    assert cli("check", "--dry-run", path).code == 2


def test_directories_are_never_changed(cli: Cli, tmp_path: Path) -> None:
    path = directory(tmp_path / "x.zarr", {".zarray": array2(filters=[], shape=[0])})
    before = (path / ".zarray").read_bytes()
    result = cli("check", "--fix", path)
    assert "not changed" in result.err
    assert (path / ".zarray").read_bytes() == before


def config(folder: Path, text: str, name: str = "zarrdb.toml") -> None:
    (folder / name).write_text(text)


def test_configuration_is_found_upwards(
    cli: Cli, tmp_path: Path, bad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bad.parent)
    config(tmp_path, '[tool.zarrdb.check]\nlevel = {"fill-value/out-of-range" = "warning"}\n')
    assert cli("check", bad).code == 0
    assert document(cli("check", "--json", bad))["config"] == str(tmp_path / "zarrdb.toml")
    assert cli("check", "--no-config", bad).code == 1
    config(bad.parent, "[tool.other]\n", "pyproject.toml")
    assert cli("check", bad).code == 0
    config(bad.parent, '[tool.zarrdb.check]\nfail-on = "warning"\n', "pyproject.toml")
    assert cli("check", bad).code == 1


def test_the_command_line_beats_the_configuration(
    cli: Cli, tmp_path: Path, bad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config(
        tmp_path, '[tool.zarrdb.check]\nfail-on = "never"\nformat = "json"\nmax-findings = "all"\n'
    )
    result = cli("check", bad)
    assert result.code == 0
    assert result.out.startswith("{")
    assert cli("check", "--fail-on", "error", "--format", "text", bad).code == 1


def test_a_configuration_can_be_named(cli: Cli, tmp_path: Path, bad: Path) -> None:
    config(tmp_path, '[tool.zarrdb.check]\nignore = ["fill-value"]\n', "other.toml")
    assert cli("check", "--config", tmp_path / "other.toml", bad).code == 0
    assert cli("check", bad, env={"ZARRDB_CONFIG": str(tmp_path / "other.toml")}).code == 0


def test_overrides_hold_for_their_keys(cli: Cli, tmp_path: Path, bad: Path) -> None:
    text = '[[tool.zarrdb.check.overrides]]\nkeys = ["{}"]\nignore = ["fill-value"]\n'
    config(tmp_path, text.format("temp*/**"), "a.toml")
    config(tmp_path, text.format("other/**"), "b.toml")
    assert cli("check", "--config", tmp_path / "a.toml", bad).code == 0
    assert cli("check", "--config", tmp_path / "b.toml", bad).code == 1


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        "[tool.zarrdb.check]\nselekt = []\n",
        "[tool.zarrdb.check]\nselect = 1\n",
        '[tool.zarrdb.check]\nselect = ["nonsense"]\n',
        '[tool.zarrdb.check]\nfail-on = "fatal"\n',
        '[tool.zarrdb.check]\nlevel = {"json/invalid" = "bad"}\n',
        '[tool.zarrdb.check]\nformat = "xml"\n',
        "[tool.zarrdb.check]\nmax-findings = -1\n",
        '[tool.zarrdb.check]\nrequired-version = ">=99"\n',
        '[tool.zarrdb.check]\nrequired-version = "new"\n',
        "[[tool.zarrdb.check.overrides]]\nignore = []\n",
        '[[tool.zarrdb.check.overrides]]\nkeys = ["a"]\nx = 1\n',
        "[tool.zarrdb]\ncheck = 1\n",
        "[tool.zarrdb.chek]\n",
        "[tool]\nzarrdb = 1\n",
        "[tool.zarrdv.check]\n",
        "[check]\nselect = []\n",
        '[tool.zarrdb.check]\nignore = ["codecs"]\n',
        '[tool.zarrdb.check]\nlevel = {"json/invalit" = "error"}\n',
        '[[tool.zarrdb.check.overrides]]\nkeys = ["a"]\nignore = ["nonsense"]\n',
    ],
)
def test_a_wrong_configuration_is_exit_2(cli: Cli, tmp_path: Path, good: Path, text: str) -> None:
    config(tmp_path, text)
    result = cli("check", "--config", tmp_path / "zarrdb.toml", good)
    assert result.code == 2
    assert result.out == ""
    assert "zarrdb.toml: " in result.err


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[tool.zarrdb.chek]\n", "did you mean `check`?"),
        ('[tool.zarrdb.check]\nfail_on = "error"\n', "did you mean `fail-on`?"),
        ('[tool.zarrdb.check]\nselect = ["codecs"]\n', "did you mean `codec`"),
        ('[tool.zarrdb.check]\nselect = ["codec/outsi"]\n', "`codec/outside-project-scope`?"),
    ],
)
def test_a_slip_in_a_configuration_is_guessed(
    cli: Cli, tmp_path: Path, good: Path, text: str, hint: str
) -> None:
    config(tmp_path, text)
    assert hint in cli("check", "--config", tmp_path / "zarrdb.toml", good).err


def test_a_version_that_fits_is_taken(cli: Cli, tmp_path: Path, good: Path) -> None:
    config(tmp_path, '[tool.zarrdb.check]\nrequired-version = ">=0.1, <99"\n')
    assert cli("check", "--config", tmp_path / "zarrdb.toml", good).code == 0


def test_a_baseline_accepts_what_is_known_and_nothing_new(
    cli: Cli, tmp_path: Path, bad: Path
) -> None:
    known = tmp_path / "known.json"
    assert cli("check", "--write-baseline", known, bad).code == 0
    result = cli("check", "--json", "--baseline", known, bad)
    assert result.code == 0
    assert document(result)["summary"]["baseline"] == 2
    assert document(result)["files"][0]["findings"] == []
    worse = store(bad.parent, {**BAD_FILL, "b/.zgroup": b"{"}, "worse.zarrdb")
    worse.replace(bad)
    assert "json/invalid" in cli("check", "--baseline", known, bad).out


def test_a_baseline_holds_however_its_files_are_reached(
    cli: Cli, tmp_path: Path, bad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bad.parent)
    for wrote, read in ((".", "x.zarrdb"), ("./x.zarrdb", "."), ("x.zarrdb", ".//x.zarrdb")):
        assert cli("check", "--write-baseline", "known.json", wrote).code == 0
        result = cli("check", "--baseline", "known.json", read)
        assert (result.code, result.err) == (0, "")


def test_entries_of_a_baseline_that_are_gone_are_named(
    cli: Cli, tmp_path: Path, bad: Path, good: Path
) -> None:
    known = tmp_path / "known.json"
    cli("check", "--write-baseline", known, bad)
    good.replace(bad)
    assert "stale" in cli("check", "--baseline", known, bad).err


@pytest.mark.parametrize(
    "arguments", [("--select", "container"), ("--ignore", "fill-value,chunk"), ("--exclude", "**")]
)
def test_what_was_not_looked_for_is_not_stale(
    cli: Cli, tmp_path: Path, bad: Path, good: Path, arguments: tuple[str, ...]
) -> None:
    known = tmp_path / "known.json"
    cli("check", "--write-baseline", known, bad)
    good.replace(bad)
    assert "stale" not in cli("check", *arguments, "--baseline", known, bad).err


def test_what_decoding_shows_is_stale_only_where_chunks_are_decoded(
    cli: Cli, tmp_path: Path, bad: Path
) -> None:
    known = tmp_path / "known.json"
    cli("check", "--write-baseline", known, bad)
    known.write_text(known.read_text().replace("fill-value/out-of-range", "chunk/undecodable"))
    assert "stale" not in cli("check", "--baseline", known, bad).err
    assert "chunk/undecodable is gone" in cli("check", "--data", "--baseline", known, bad).err
    bad.write_bytes(b"")
    assert "stale" not in cli("check", "--data", "--baseline", known, bad).err


def test_a_file_that_is_no_baseline_is_exit_2(cli: Cli, tmp_path: Path, good: Path) -> None:
    (tmp_path / "x.json").write_text("[]")
    assert cli("check", "--baseline", tmp_path / "x.json", good).code == 2
    assert cli("check", "--baseline", tmp_path / "none.json", good).code == 2


def test_include_and_exclude_choose_places(cli: Cli, bad: Path) -> None:
    assert cli("check", "--exclude", "temperature/**", bad).code == 0
    assert cli("check", "--include", "other", bad).code == 0
    assert cli("check", "--include", "temperature", bad).code == 1


def test_reports_in_files_beside_the_text(cli: Cli, tmp_path: Path, bad: Path) -> None:
    arguments = []
    for name in ("json", "sarif", "junit", "github", "text"):
        arguments += ["--report", f"{name}={tmp_path / name}"]
    result = cli("check", *arguments, bad)
    assert "fill-value/out-of-range" in result.out
    for name in ("json", "sarif", "junit", "github", "text"):
        assert "fill-value/out-of-range" in (tmp_path / name).read_text()
    assert json.loads((tmp_path / "json").read_text())["schema"] == 1
    assert cli("check", "--report", "nonsense", bad).code == 2
    assert cli("check", "--json", "--format", "json", bad).code == 1


@pytest.mark.parametrize("options", ["--report json=", "--write-baseline "])
def test_files_that_cannot_be_written_are_told_before_the_check(
    cli: Cli, tmp_path: Path, good: Path, options: str
) -> None:
    option, _, start = options.partition(" ")
    fixable = store(tmp_path / "fixable", {"zarr.json": b"\xef\xbb\xbf" + encoded(GROUP3)})
    before = {path: path.read_bytes() for path in (good, fixable)}
    (tmp_path / "x.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    for place in ("none/x", "good", "good/x.zarrdb", "fixable/x.zarrdb", "x.zip"):
        result = cli("check", "--fix", option, f"{start}{tmp_path / place}", fixable)
        assert (result.code, result.out) == (3, ""), place
        assert result.err.startswith(f"zarrdb: {tmp_path / place}: ")
        assert "hint: " in result.err
    assert before == {path: path.read_bytes() for path in (good, fixable)}


@posix
def test_a_report_goes_through_a_link_and_into_a_pipe(cli: Cli, tmp_path: Path, good: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    for arguments in (
        ("--report", f"json={tmp_path}/link"),
        ("--write-baseline", tmp_path / "link"),
    ):
        assert cli("check", *arguments, good).code == 0
        assert (tmp_path / "link").is_symlink()
        assert json.loads((tmp_path / "real").read_text())["schema"] == 1
    read, write = os.pipe()
    try:
        assert cli("check", "--report", f"json=/dev/fd/{write}", good).code == 0
        assert json.loads(os.read(read, 65536))["schema"] == 1
    finally:
        os.close(read)
        os.close(write)
    assert sorted(os.listdir(tmp_path)) == ["good", "link", "real"]


@posix
def test_a_report_into_the_output_leaves_the_rest_of_it(tmp_path: Path, bad: Path) -> None:
    with (tmp_path / "out").open("ab") as out:
        arguments = ["check", "--report", "json=/dev/stdout", "x.zarrdb"]
        command = [sys.executable, "-m", "zarrdb", *arguments]
        done = subprocess.run(command, stdout=out, cwd=bad.parent, timeout=60, check=False)
    assert done.returncode == 1
    text = (tmp_path / "out").read_text()
    assert "1 file: 0 clean" in text
    assert '{"schema": 1' in text


def test_a_zip_of_something_else_is_a_store_without_nodes(cli: Cli, tmp_path: Path) -> None:
    for name in ("tree.b2z", "letter.docx", "x.zarr.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("a/leaf.b2nd", b"x")
        result = cli("check", "--fail-on", "warning", tmp_path / name)
        assert result.code == 1
        assert "[hierarchy/no-nodes]" in result.out
        assert cli("import", tmp_path / name, tmp_path / "x.zarrdb").code == 3
