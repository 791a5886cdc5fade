"""The generated files are what the program says today, and are installed."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from zarrdb import manual
from zarrdb.cli.app import COMMANDS
from zarrdb.lint.rules import RULES
from zarrdb.manpages import rules_page

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    if not (ROOT / "README.md").exists():
        pytest.skip("not a checkout")
    monkeypatch.chdir(ROOT)


def test_generated_files_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert (manual.main(["check"]), capsys.readouterr().out) == (0, "")


def test_writing_mends_what_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "tests" / "data", tmp_path / "tests" / "data")
    text = (ROOT / "README.md").read_text("utf-8")
    (tmp_path / "README.md").write_text(text.replace("$ zarrdb ls", "$ zarrdb ls -q"), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert manual.main(["check"]) == 1
    assert "man/zarrdb-ls.1 is out of date" in capsys.readouterr().out
    assert manual.main(["write"]) == 0
    assert manual.main(["check"]) == 0
    pages = sorted(path.name for path in Path("man").iterdir())
    assert pages == sorted(
        ["zarrdb.1", "zarrdb-rules.7", *(f"zarrdb-{name}.1" for name in COMMANDS)]
    )


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert manual.main([]) == 2
    assert capsys.readouterr().err.startswith("usage: ")


def test_every_generated_file_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert set(shared) == {path for path, _ in manual.generated()} - {"README.md"}
    for source, target in shared.items():
        if source.startswith("man/"):
            assert target == f"share/man/man{source[-1]}/{os.path.basename(source)}"


def test_readme_gives_the_test_command_of_ci() -> None:
    if not (ROOT / ".ci" / "run").exists():
        pytest.skip("not a checkout")
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    command = script.partition("tests='")[2].partition("'")[0]
    assert command.startswith("python -m pytest")
    assert command in (ROOT / "README.md").read_text("utf-8")


def test_readme_python_runs(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    code = text.partition("```python\n")[2].partition("```")[0]
    shutil.copytree(ROOT / "tests" / "data" / "climate.zarr", tmp_path / "climate.zarr")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=120)


def test_the_page_of_rules_says_why_and_what_to_do() -> None:
    page = rules_page()
    for begin in (".TP\n\\fB", "\n.br\nWhy: ", "\n.br\nFix: "):
        assert page.count(begin) == len(RULES)


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="needs mandoc")
def test_pages_are_well_formed() -> None:
    pages = sorted((ROOT / "man").iterdir())
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, check=False
    )
    complaints = [line for line in done.stdout.decode().splitlines() if "missing date" not in line]
    assert complaints == []


def test_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "zarrdb.manual", "check"], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")
