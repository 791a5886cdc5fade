"""Stores that other projects published: every error is one that is there, and none is missed.

Run with `--realdata DIR` (or ZARRDB_REALDATA), a folder with `manifest.jsonl`.
"""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers_lint import rules_found
from zarrdb.lint import Options, check_file

KINDS = ("directory", "zip", "collection (not one store)")

# What the errors are, by a part of the archive's name.
EXPLAINED: dict[str, tuple[str, str]] = {
    "zarr-2.18.7__fixture": ("chunk/unreachable", "nested chunks, and no dimension_separator"),
    "absent_metadata_dims_zyx": ("json/invalid", "Git LFS pointers"),
    "resources__bioformats_v2": ("json/invalid", "Git LFS pointers"),
    "resources__bioformats_v3": ("json/invalid", "Git LFS pointers"),
    "earthkit-data__tests__data__test_zarr": ("json/bare-constant", "NaN without quotes"),
    "v3__1d.chunked.compressed.i2": ("codec/broken-pipeline", "nothing makes bytes of arrays"),
    "v3__1d.contiguous.compressed.b1": (
        "codec/broken-pipeline fill-value/wrong-type",
        "nothing makes bytes of arrays; 0 where a boolean has to be",
    ),
    "v3__1d.contiguous.compressed.f": ("codec/broken-pipeline", "nothing makes bytes of arrays"),
    "v3__1d.contiguous.compressed.i2": ("codec/broken-pipeline", "nothing makes bytes of arrays"),
    "v3__1d.chunked.compressed.sharded": ("codec/missing-parameter", "a draft of sharding"),
    "bioformats-zarr__data": ("fill-value/wrong-type", "a number written as text"),
    "n5-universe__src__test__resources__metadata": ("fill-value/wrong-type", "numbers as text"),
    "nested_groups": ("consolidated/invalid", "zarr_consolidated_format is missing"),
    "partials__invalidmeta": ("consolidated/invalid", "it is no consolidated metadata"),
    "gdrivers__data__zarr__array_attrs": ("json/invalid", "a comma too many"),
    "zarr__byte_cf1.zr3": ("array/missing-member", "a draft of Zarr 3, without codecs"),
    "test_deprecated_no_codecs": ("array/missing-member", "a draft of Zarr 3, without codecs"),
    "sharing_too_small_data_file": (
        "codec/missing-parameter codec/unknown-parameter",
        "a draft of sharding, broken on purpose",
    ),
    "storage_transformer__exists": ("array/storage-transformer", "stored bytes are elsewhere"),
    "n5-zarr__src__test__resources__shardExamples": ("hierarchy/missing-group", "no root"),
    "zarrs__tests__data__sharded_array_write_read": ("hierarchy/missing-group", "no root"),
    "v3__array_optional_nested": ("hierarchy/missing-group", "no root"),
    "fixture_codec_configs": ("container/unreadable", "documents, but no store"),
    "kvstore__zip_torture": ("container/unreadable", "zips that are no stores"),
    "kerchunk_json": ("container/unreadable", "references, but no store"),
}


def stores(folder: Path, work: Path) -> Iterator[tuple[str, str]]:
    """The name of an archive, and the path of the store in it."""
    for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        archive = folder / entry["file"]
        if entry["kind"] == "zip":
            yield archive.name, str(archive)
        elif entry["kind"] in KINDS:
            target = work / archive.name
            with tarfile.open(archive) as members:
                members.extractall(target, filter="data")
            (store,) = target.iterdir()
            yield archive.name, str(store)


def expected(name: str) -> set[str]:
    found = [part for part in EXPLAINED if part in name]
    return set(EXPLAINED[max(found, key=len)][0].split()) if found else set()


@pytest.mark.parametrize("data", [False, True], ids=["documents", "data"])
def test_errors_are_those_that_are_there(realdata: Path, tmp_path: Path, data: bool) -> None:
    found = {
        name: rules_found(check_file(path, Options(data=data)).findings, "error")
        for name, path in stores(realdata, tmp_path)
    }
    assert found
    assert found == {name: expected(name) for name in found}
