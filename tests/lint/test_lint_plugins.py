"""Plugins: rules that other packages bring, and what happens when they fail."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers_cli import Result
from helpers_lint import GROUP2, array2
from helpers_lint_files import database

Cli = Callable[..., Result]

PLUGIN = '''
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import rule


@rule("house/units", level="warning", subject="document")
def units(document):
    """An array without units.

    Why: nobody knows what the numbers are.

    Fix: write them.
    """
    if document.name == ".zattrs" and "units" not in document.parsed.value:
        yield Hit("no units", key=document.key, pointer="")


@rule("house/rank", level="error", subject="array", requires=("array/invalid-shape",))
def rank(array):
    """An array of one axis."""
    if array.shape is not None and len(array.shape) == 1:
        yield array.hit(("shape",), "one axis")


@rule("house/name", level="info", subject="key")
def name(name):
    """A key that is not to be."""
    if name.name == "secret":
        yield name.hit("a secret", "tell nobody")


RULES = [units, rank, name]
'''

DEFINITION = """
from typing import Annotated, NotRequired
from typing_extensions import TypedDict
from zarrdb.metadata import Interval
from zarrdb.metadata.v2 import ZarrV2CodecDefinition


class Parameters(TypedDict, closed=True):
    level: NotRequired[Annotated[int, Interval(ge=0, le=100)]]


def rules(configuration):
    return ()


DEFINITIONS = [ZarrV2CodecDefinition(name="webp", configuration=Parameters, rules=rules)]
"""

FILES = {
    ".zgroup": GROUP2,
    "a/.zarray": array2(shape=[0]),
    "b/.zarray": array2(shape=[0], compressor={"id": "webp"}),
    "a/.zattrs": {"x": 1},
    "secret": b"",
}


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], str]]:
    """Makes a module of a text that can be imported by name."""
    monkeypatch.syspath_prepend(str(tmp_path))
    made: list[str] = []

    def make(text: str) -> str:
        name = f"zarrdb_test_plugin_{len(made)}"
        (tmp_path / f"{name}.py").write_text(text)
        made.append(name)
        return name

    yield make
    for name in made:
        sys.modules.pop(name, None)


def test_rules_of_a_plugin_run_beside_ours(
    cli: Cli, tmp_path: Path, plugin: Callable[[str], str]
) -> None:
    path = database(FILES)(str(tmp_path))
    result = cli("check", "-v", "--plugin", plugin(PLUGIN), path)
    assert result.code == 1
    assert "a/.zattrs:1:1: warning[house/units] no units" in result.out
    assert "a/.zarray:1:29: error[house/rank] shape: one axis" in result.out
    assert "secret: info[house/name] a secret" in result.out
    assert cli("check", path).code == 0


def test_rules_of_a_plugin_are_selected_like_ours(
    cli: Cli, tmp_path: Path, plugin: Callable[[str], str]
) -> None:
    path = database(FILES)(str(tmp_path))
    name = plugin(PLUGIN)
    assert cli("check", "--plugin", name, "--ignore", "house/rank", path).code == 0
    assert "nobody knows" in cli("check", "--plugin", name, "--explain", "house/units").out
    (tmp_path / "zarrdb.toml").write_text(f'[tool.zarrdb.check]\nplugins = ["{name}"]\n')
    assert cli("check", "--config", tmp_path / "zarrdb.toml", path).code == 1


def test_codecs_of_a_plugin_are_known(
    cli: Cli, tmp_path: Path, plugin: Callable[[str], str]
) -> None:
    codec = {"id": "webp", "level": 101}
    path = database({".zarray": array2(compressor=codec)})(str(tmp_path))
    assert "info[codec/unclaimed]" in cli("check", "-v", path).out
    result = cli("check", "-v", "--plugin", plugin(DEFINITION), path)
    assert result.code == 1
    assert "error[codec/wrong-parameter] compressor.level" in result.out
    assert "codec/unclaimed" not in result.out


@pytest.mark.parametrize(
    "text",
    [
        "raise RuntimeError('no')",
        "import nothing_of_that_name",
        "x = 1",
        "RULES = 1",
        "RULES = ['x']",
        "DEFINITIONS = 1",
        "DEFINITIONS = ['x']",
        DEFINITION.replace("return ()", "raise KeyError(3)"),
        "from zarrdb.lint.rules import RULES",
        PLUGIN.replace('yield Hit("no units"', 'raise KeyError("no units"'),
    ],
)
def test_a_plugin_that_fails_stops_the_run(
    cli: Cli, tmp_path: Path, plugin: Callable[[str], str], text: str
) -> None:
    path = database(FILES)(str(tmp_path))
    result = cli("check", "--plugin", plugin(text), path)
    assert result.code == 2
    assert "plugin zarrdb_test_plugin" in result.err


def test_a_plugin_that_is_missing_stops_the_run(cli: Cli, tmp_path: Path) -> None:
    path = database(FILES)(str(tmp_path))
    for name in ("no_such_plugin", "no.such.plugin", ""):
        assert cli("check", "--plugin", name, path).code == 2
