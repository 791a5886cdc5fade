"""Imports go to a lower level or stay in the folder; what is heavy has one owner."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import zarrdb

ROOT = Path(zarrdb.__file__).parent

LEVELS = [
    {"_version", "errors", "inorder", "spec", "unfinished", "units"},
    {"keys"},
    {"location", "magic", "patterns", "plugins", "jsontext"},
    {"transport", "metadata", "encoded"},
    {"db", "hierarchy"},
    {"sources", "frame"},
    {"detect", "layout", "fanout", "together", "zarrvalues"},
    {"storefile", "storeremote"},
    {"store", "arrays"},
    {"opening", "storesource", "fsspec_fs"},
    {"lint", "transfer"},
    {"xarray_engine"},
    {"cli"},
    {"manpages", "__main__"},
    {"manual"},
]

OWNERS = {
    "apsw": {"db"},
    "fsspec": {"transport", "fsspec_fs"},
    "aiohttp": {"transport"},
    "typer": {"cli", "manpages"},
    "zarr": {"store", "storesource", "zarrvalues", "opening", "arrays", "xarray_engine"},
    "numpy": {"store", "arrays", "frame"},
    "numcodecs": {"store", "arrays"},
    "blosc2": {"frame"},
    "xarray": {"xarray_engine"},
}
"""Who may import it at all, but for its version; `rich` and `click` have no owner."""

NOT_ON_LOOKING = {
    *("zarr", "numpy", "numcodecs", "fsspec", "rich", "blosc2", "aiohttp", "asyncio"),
    "zarrdb.lint",
}


class Imported(NamedTuple):
    """One import: which part of the package imports what, and where."""

    part: str
    name: str
    where: str


def imports() -> Iterator[Imported]:
    for file in sorted(ROOT.rglob("*.py")):
        relative = file.relative_to(ROOT)
        part = relative.parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Imported(part, alias.name, f"{relative}:{node.lineno}")
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    name = f"{'.' * node.level}{node.module}.{alias.name}"
                    yield Imported(part, name, f"{relative}:{node.lineno}")


def level(part: str) -> int:
    return next(number for number, parts in enumerate(LEVELS) if part in parts)


def test_every_part_has_a_level() -> None:
    parts = {path.name.removesuffix(".py") for path in ROOT.glob("[!.]*")}
    assert parts - {"__init__", "__pycache__", "py.typed"} == set().union(*LEVELS)


def test_imports_go_down_or_stay_in_the_folder() -> None:
    upward = [
        f"{one.where}: {one.name}"
        for one in imports()
        if one.part != "__init__" and one.name.startswith("zarrdb.")
        for target in [one.name.split(".")[1]]
        if target not in ("__version__", one.part) and level(target) >= level(one.part)
    ]
    assert upward == []


def test_what_is_heavy_is_imported_by_its_owner() -> None:
    owners = {**OWNERS, "rich": set(), "click": set()}
    foreign = [
        f"{one.where}: {one.name}"
        for one in imports()
        if one.part not in owners.get(one.name.split(".")[0], {one.part})
        and not one.where.startswith("cli/version.py")
    ]
    assert foreign == []


def loaded_by(*arguments: str) -> set[str]:
    code = (
        "import json, sys\n"
        "from zarrdb.cli.app import run\n"
        "code = run(sys.argv[1:])\n"
        "sys.stderr.write(json.dumps([code, sorted(sys.modules)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, check=True, timeout=60
    )
    code, modules = json.loads(done.stderr)
    assert code == 0
    return set(modules)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("architecture") / "new.zarrdb")
    assert NOT_ON_LOOKING.isdisjoint(loaded_by("-q", "init", path))
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["ls"],
        ["ls", "-l"],
        ["ls", "--tree"],
        ["ls", "--json"],
        ["ls", "--keys"],
        ["cat", "--attributes", "/"],
        ["info"],
    ],
    ids=" ".join,
)
def test_looking_loads_nothing_heavy(file: str, arguments: list[str]) -> None:
    command, *rest = arguments
    assert NOT_ON_LOOKING.isdisjoint(loaded_by(command, file, *rest))


def test_import_of_the_package_loads_nothing_heavy() -> None:
    code = "import sys, zarrdb; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=60
    )
    assert (NOT_ON_LOOKING | {"typer", "apsw"}).isdisjoint(done.stdout.split())
