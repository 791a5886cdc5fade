"""xarray on a `.zarrdb`: by engine, by store, in parallel, appended to and written in regions."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zarrdb import SQLiteStore

xarray = pytest.importorskip("xarray")
# What xarray and zarr-python say to each other is theirs.
pytestmark = pytest.mark.filterwarnings("default")


def dataset(times: int = 6) -> Any:
    values = np.arange(times * 4, dtype="f4").reshape(times, 4)
    return xarray.Dataset(
        {"t": (("time", "x"), values), "mask": (("x",), [True, False, True, False])},
        coords={"time": np.arange(times) * 2, "x": ["a", "b", "c", "d"]},
        attrs={"title": "test"},
    )


def written(path: Path, *, zarr_format: int = 3, consolidated: bool = False) -> Path:
    with SQLiteStore(path) as store:
        dataset().to_zarr(store, zarr_format=zarr_format, consolidated=consolidated)
    return path


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("consolidated", [True, False])
def test_a_dataset_comes_back_by_path_and_by_store(
    zarr_format: int, consolidated: bool, tmp_path: Path
) -> None:
    path = written(tmp_path / "x.zarrdb", zarr_format=zarr_format, consolidated=consolidated)
    with xarray.open_dataset(path) as found:
        xarray.testing.assert_identical(found.load(), dataset())
    with SQLiteStore(path, read_only=True) as store:
        found = xarray.open_zarr(store, consolidated=consolidated)
        xarray.testing.assert_identical(found.load(), dataset())


def test_chunks_groups_and_trees(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    tree = xarray.DataTree.from_dict({"/c": dataset(), "/a/b": dataset(2)})
    with SQLiteStore(path) as store:
        tree.to_zarr(store, consolidated=False)
    xarray.testing.assert_identical(
        xarray.open_dataset(path, group="a/b", chunks={}).load(), dataset(2)
    )
    found = xarray.open_datatree(path)
    xarray.testing.assert_identical(found["a/b"].to_dataset(inherit=False).load(), dataset(2))
    assert set(xarray.open_groups(path)) == {"/", "/a", "/a/b", "/c"}


def test_several_files_as_one(tmp_path: Path) -> None:
    for number in range(3):
        with SQLiteStore(tmp_path / f"{number}.zarrdb") as store:
            part = dataset().assign_coords(time=np.arange(6) + 6 * number)
            part.to_zarr(store, consolidated=False)
    found = xarray.open_mfdataset(
        sorted(str(each) for each in tmp_path.glob("*.zarrdb")), engine="zarrdb", data_vars="all"
    )
    assert found.sizes["time"] == 18


def test_appending_and_regions(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as store:
        dataset().to_zarr(store, consolidated=False)
        more = dataset().assign_coords(time=np.arange(6) * 2 + 100)
        more.to_zarr(store, append_dim="time", consolidated=False)
        region = dataset()[["t"]].isel(time=slice(0, 2)).drop_vars(["time", "x"]) * 0
        region.to_zarr(store, region={"time": slice(3, 5), "x": slice(0, 4)}, consolidated=False)
    with xarray.open_dataset(path) as found:
        assert found.sizes["time"] == 12
        assert float(found.t[3:5].sum()) == 0
        assert float(found.t[5].sum()) > 0


def test_the_engine_claims_files_only(tmp_path: Path) -> None:
    from zarrdb.xarray_engine import ZarrdbBackendEntrypoint

    guess = ZarrdbBackendEntrypoint().guess_can_open
    path = written(tmp_path / "x.zarrdb")
    other = path.rename(tmp_path / "named-otherwise")
    assert guess(str(other))
    assert guess("https://example.org/x.zarrdb?token=1")
    (tmp_path / "directory.zarrdb").mkdir()
    (tmp_path / "text").write_text("x" * 200)
    for wrong in (tmp_path / "directory.zarrdb", tmp_path / "text", tmp_path / "absent", 7):
        assert not guess(wrong)


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_dask_reads_and_writes_one_file(scheduler: str, tmp_path: Path) -> None:
    dask_array = pytest.importorskip("dask.array")
    import dask

    path = tmp_path / "x.zarrdb"
    values = np.arange(400, dtype="i4").reshape(20, 20)
    with dask.config.set(scheduler=scheduler, num_workers=2):
        with SQLiteStore(path, timeout=60) as store:
            dask_array.from_array(values, chunks=(5, 5)).to_zarr(store, component="a")
        with SQLiteStore(path, read_only=True) as store:
            found = dask_array.from_zarr(store, component="a")
            assert int(found.sum().compute()) == int(values.sum())


def test_a_cluster_of_processes_reads_one_file(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    path = written(tmp_path / "x.zarrdb")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster),
    ):
        found = xarray.open_dataset(path, chunks={"time": 2})
        assert float(found.t.sum().compute()) == float(dataset().t.sum())
