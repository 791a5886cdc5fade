"""Scopes: what a project says about codecs and data types, and how documents fare in them."""

from collections.abc import Callable
from pathlib import Path

import numcodecs
import numpy
import pytest

from helpers_cli import Result
from helpers_lint import array2, array3
from helpers_lint_files import database

Cli = Callable[..., Result]

ONLY = '[tool.zarrdb.scope]\nonly = ["zstd", "blosc"]\n'
WEBP = """
[tool.zarrdb.scope.v2.codecs.imagecodecs_webp]
parameters.level = { type = "integer", min = 0, max = 100 }
"""


def store(folder: Path, **members: object) -> str:
    return database({".zarray": array2(shape=[0], **members)})(str(folder))


def test_what_the_project_leaves_out_is_an_error(cli: Cli, tmp_path: Path) -> None:
    path = store(tmp_path, compressor={"id": "gzip"})
    (tmp_path / "only.toml").write_text(ONLY)
    assert cli("check", path).code == 0
    result = cli("check", "--scope", tmp_path / "only.toml", path)
    assert result.code == 1
    assert 'error[codec/outside-project-scope] compressor: "gzip"' in result.out


def test_what_the_project_keeps_is_fine(cli: Cli, tmp_path: Path) -> None:
    path = store(tmp_path, compressor={"id": "zstd"})
    (tmp_path / "only.toml").write_text(ONLY)
    assert cli("check", "--scope", tmp_path / "only.toml", path).code == 0


def test_a_codec_of_the_project_is_known_and_judged(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "zarrdb.toml").write_text(WEBP)
    config = ("--config", str(tmp_path / "zarrdb.toml"))
    path = store(tmp_path, compressor={"id": "imagecodecs_webp", "level": 101})
    assert "codec/unclaimed" in cli("check", "-v", path).out
    result = cli("check", "-v", *config, path)
    assert result.code == 1
    assert "codec/unclaimed" not in result.out
    assert "error[codec/wrong-parameter] compressor.level" in result.out


def test_scopes_are_united(cli: Cli, tmp_path: Path) -> None:
    path = store(tmp_path, compressor={"id": "gzip"})
    (tmp_path / "only.toml").write_text(ONLY)
    arguments = ("--scope", tmp_path / "only.toml", "--scope", "core")
    assert cli("check", *arguments, path).code == 0


@pytest.mark.parametrize(
    "text", ["", "[tool.zarrdb.scope]\nonli = []\n", "[tool.zarrdb]\nscope = 1\n", "x = "]
)
def test_a_wrong_scope_is_exit_2(cli: Cli, tmp_path: Path, text: str) -> None:
    path = store(tmp_path)
    (tmp_path / "wrong.toml").write_text(text)
    assert cli("check", "--scope", tmp_path / "wrong.toml", path).code == 2
    assert cli("check", "--scope", tmp_path / "none.toml", path).code == 2


@pytest.mark.parametrize(
    ("table", "hint"),
    [
        ('only = ["zst", "blosc"]', "did you mean `zstd`?"),
        ('only = ["zstd"]\n[tool.zarrdb.scope.v3]\nonly = ["zlib"]', ""),
        ('only = ["imagecodecs_webp"]', "has to be declared"),
    ],
)
def test_what_is_kept_has_to_be_known(cli: Cli, tmp_path: Path, table: str, hint: str) -> None:
    path = store(tmp_path)
    (tmp_path / "only.toml").write_text(f"[tool.zarrdb.scope]\n{table}\n")
    result = cli("check", "--scope", tmp_path / "only.toml", path)
    assert result.code == 2
    assert hint in result.err
    (tmp_path / "kept.toml").write_text(
        WEBP + '[tool.zarrdb.scope]\nonly = ["zlib", "gzip", "imagecodecs_webp", "float32"]\n'
    )
    assert cli("check", "--scope", tmp_path / "kept.toml", path).code == 0


def test_what_is_installed_is_decoded(cli: Cli, tmp_path: Path) -> None:
    text = array3(data_type="string", fill_value="", codecs=[{"name": "vlen-utf8"}])
    value = bytes(numcodecs.VLenUTF8().encode(numpy.array(["a", "b"], dtype=object)))
    path = database({"zarr.json": text, "c/0": value, "c/1": value[:-1]})(str(tmp_path))
    assert "chunk/not-verified" in cli("check", "-v", "--data", path).out
    result = cli("check", "-v", "--data", "--scope", "installed", path)
    assert result.code == 1
    assert "1 chunk that cannot be decoded" in result.out
    assert "chunk/not-verified" not in result.out


def test_what_is_not_installed_is_an_error(cli: Cli, tmp_path: Path) -> None:
    text = array3(data_type="r16", fill_value=[0, 0])
    path = database({"zarr.json": text})(str(tmp_path))
    assert "codec/outside-project-scope" not in cli("check", path).out
    assert "codec/outside-project-scope" in cli("check", "--scope", "installed", path).out
