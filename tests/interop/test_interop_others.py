"""Other libraries that write zarr: anndata, ome-zarr; and many open files at once."""

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from zarrdb import SQLiteStore

pytestmark = pytest.mark.filterwarnings("default")


def test_anndata_goes_in_and_out(tmp_path: Path) -> None:
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    data = anndata.AnnData(
        X=np.arange(12, dtype="f4").reshape(4, 3),
        obs=pandas.DataFrame(
            {"kind": pandas.Categorical(["a", "b", "a", "b"])}, index=list("wxyz")
        ),
        layers={"raw": np.ones((4, 3))},
    )
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as store:
        data.write_zarr(store)
    with SQLiteStore(path, read_only=True) as store:
        found = anndata.read_zarr(store)
    assert (found.X == data.X).all()
    assert list(found.obs["kind"]) == ["a", "b", "a", "b"]
    assert (found.layers["raw"] == 1).all()


def test_an_ome_zarr_image_goes_in_and_out(tmp_path: Path) -> None:
    writer = pytest.importorskip("ome_zarr.writer")
    image = np.arange(64 * 64, dtype="u2").reshape(64, 64)
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as store:
        writer.write_image(image, zarr.open_group(store, mode="w"), axes="yx")
    with SQLiteStore(path, read_only=True) as store:
        group = zarr.open_group(store, mode="r")
        found: Any = group["0"] if "0" in group else group["s0"]
        assert (found[:] == image).all()
        attributes: Any = group.attrs.asdict()
        assert "multiscales" in attributes.get("ome", attributes)


def test_many_threads_over_many_files_with_cached_handles(tmp_path: Path) -> None:
    for number in range(30):
        with SQLiteStore(tmp_path / f"{number}.zarrdb") as store:
            tile = np.full((4, 4), number, dtype="u1")
            zarr.create_array(store, name="tile", shape=(4, 4), chunks=(2, 2), dtype="u1")[:] = tile

    @lru_cache(maxsize=8)
    def handle(number: int) -> Any:
        store = SQLiteStore(tmp_path / f"{number}.zarrdb", read_only=True)
        return zarr.open_array(store, path="tile", mode="r")

    def look(turn: int) -> bool:
        number = turn * 7 % 30
        return bool((handle(number)[1:3, 1:3] == number).all())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(look, range(300)))
    assert sorted(each.suffix for each in tmp_path.iterdir()) == [".zarrdb"] * 30
