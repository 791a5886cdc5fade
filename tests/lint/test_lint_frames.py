"""Blosc2 frames as files that are checked: what is read of them, and what they are called."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers_cli import Result
from helpers_frame import edited, frame_of, items_of
from helpers_http import serving
from helpers_lint import rules_found
from helpers_lint_files import shortened
from helpers_lint_frames import GOOD, frame, garbled, sparse
from zarrdb.lint import Options, check_file

Cli = Callable[..., Result]

UNNOTICED = {"bad_stream_garbage"}
"""Bytes that were stored as they are and overwritten: nothing in a frame can tell."""

READERS = {
    "NotAFrame": {"container/unreadable"},
    "Truncated": {"frame/truncated", "container/unreadable"},
    "Unsupported": {
        *("frame/not-an-array", "frame/bad-metalayer", "frame/bad-index"),
        *("container/unreadable", "hierarchy/no-nodes"),
    },
}
"""What a reader of the vectors says, and the rules of which one has to."""


def test_data_decodes_every_chunk(tmp_path: Path) -> None:
    path = frame(garbled())(str(tmp_path))
    assert check_file(path).clean
    report = check_file(path, Options(data=True))
    assert rules_found(report.findings) == {"frame/bad-chunk"}
    assert report.findings[0].message.startswith("chunk 2: ")
    assert (report.kind, report.status, report.data_checked) == ("frame", "checked", True)


def test_a_frame_by_any_name_is_known_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    path.write_bytes(GOOD)
    report = check_file(path)
    assert (report.kind, report.clean) == ("frame", True)
    path.write_bytes(edited(GOOD, 25, b"\x19"))
    report = check_file(path)
    assert (report.kind, report.status) == ("frame", "unreadable")
    assert report.error == "version 9 of the frame format is not known"


def test_a_sparse_frame_is_one_file_to_check(cli: Cli, tmp_path: Path) -> None:
    result = cli("check", sparse()(str(tmp_path)))
    assert result.code == 1
    assert "error[frame/not-an-array] a sparse frame" in result.out
    assert result.lines[-1].startswith("1 file: ")


def test_findings_and_exit_codes_of_the_command(cli: Cli, tmp_path: Path) -> None:
    path = frame(garbled())(str(tmp_path))
    assert cli("check", path).code == 0
    result = cli("check", path, "--data", "--json")
    assert result.code == 1
    (file,) = json.loads(result.out)["files"]
    assert (file["kind"], file["status"], file["data_checked"]) == ("frame", "checked", True)
    assert [each["rule"] for each in file["findings"]] == ["frame/bad-chunk"]
    shortened(1)(path)
    assert "error[frame/truncated]" in cli("check", path).out


def test_a_frame_on_a_server(cli: Cli) -> None:
    items = items_of("<f8", (400, 600))
    data = frame_of(items, chunks=(100, 600), blocks=(50, 200))
    with serving() as server:
        url = server.put("x.b2nd", data)
        assert cli("check", url).code == 0
        server.put("x.b2nd", data[:-1])
        assert "frame/truncated" in cli("check", url).out


def test_every_frame_of_the_vectors_has_its_outcome(vectors: Path, tmp_path: Path) -> None:
    script = vectors / "blosc2" / "make_frames.py"
    if not script.is_file():
        pytest.skip(f"no {script}")
    subprocess.run(
        [sys.executable, "-W", "ignore", str(script), str(tmp_path / "made")],
        check=True,
        capture_output=True,
        timeout=300,
    )
    expected = json.loads((vectors / "blosc2" / "expected.json").read_text())
    wrong = []
    for name, facts in expected["frames"].items():
        report = check_file(tmp_path / "made" / facts["file"], Options(data=True))
        has_unwritten = len(facts["written_chunks"]) > 1
        found = {"frame/unwritten-chunk"} if has_unwritten else set()
        if rules_found(report.findings) != found or report.status != "checked":
            wrong.append((name, report.error, report.findings))
    for name, facts in expected["broken"].items():
        report = check_file(tmp_path / "made" / facts["file"], Options(data=True))
        # A zip of frames is a zip without nodes.
        levels = ("error", "warning") if report.kind == "zip" else ("error",)
        errors = rules_found(report.findings, *levels)
        allowed = READERS.get(facts["reader"], errors)
        if bool(errors) is (name in UNNOTICED) or not errors <= allowed:
            wrong.append((name, facts["reader"], report.findings))
    assert wrong == []
