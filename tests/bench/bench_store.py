"""SQLiteStore beside zarr-sqlite, LocalStore and MemoryStore, each close included.

    python tests/bench/bench_store.py [--rounds 7] [--pipeline default|fused|both]

Needs zarr >= 3.4 for the fused pipeline; zarr-sqlite is left out where it is missing.
"""

import argparse
import asyncio
import importlib.util
import shutil
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from sidebyside import alternate, bound, ratio, show
from zarr.abc.store import RangeByteRequest, Store
from zarr.core.buffer import default_buffer_prototype
from zarr.core.sync import sync
from zarr.storage import LocalStore, MemoryStore

from zarrdb import SQLiteStore, copy
from zarrdb.db import Database

FUSED = "zarr.core.codec_pipeline.FusedCodecPipeline"
PROTOTYPE = default_buffer_prototype()


def fresh_paths(folder: Path) -> Iterator[Path]:
    number = 0
    while True:
        number += 1
        yield folder / f"{number}.zarrdb"


def makers(paths: Iterator[Path]) -> dict[str, Callable[[Path | None], Store]]:
    """A store of each kind; the path is that of an existing one, None makes a new one."""
    made: dict[str, Callable[[Path | None], Store]] = {
        "zarrdb": lambda path: SQLiteStore(path or next(paths), read_only=path is not None),
        "LocalStore": lambda path: LocalStore(path or next(paths)),
    }
    if importlib.util.find_spec("zarr_sqlite"):
        import zarr_sqlite  # type: ignore[import-not-found,unused-ignore]

        made["zarr-sqlite"] = lambda path: zarr_sqlite.SQLiteStore(
            path or next(paths), read_only=path is not None
        )
    return made


def place_of(store: Store) -> Path | None:
    """Where a store keeps its values; None for a MemoryStore."""
    for name in ("path", "root", "database"):
        if hasattr(store, name):
            return Path(getattr(store, name))
    return None


def arrays(folder: Path, count: int, items: int, rounds: int, pipeline: str) -> None:
    data = np.random.default_rng(1).random(count * items, dtype="f4")
    made = makers(fresh_paths(folder))

    def write(store: Store) -> None:
        array = zarr.create_array(
            store,
            name="a",
            shape=data.shape,
            chunks=(items,),
            dtype="f4",
            compressors=None,
            filters=None,
        )
        array[:] = data

    def timed_write(make: Callable[[], Store]) -> float:
        store = make()
        start = time.perf_counter()
        write(store)
        store.close()
        taken = time.perf_counter() - start
        remove(store)
        return taken

    def remove(store: Store) -> None:
        path = place_of(store)
        if path is not None:
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def timed_read(make: Callable[[], Store]) -> float:
        store = make()
        start = time.perf_counter()
        got: Any = zarr.open_array(store, path="a", mode="r")[:]
        store.close()
        taken = time.perf_counter() - start
        assert got[-1] == data[-1]
        return taken

    size = items * 4
    title = f"{count:,} chunks of {size / 1024:g} KiB"
    candidates: dict[str, Callable[[], float]] = {"MemoryStore": lambda: timed_write(MemoryStore)}
    for name, make in made.items():
        candidates[name] = lambda make=make: timed_write(lambda: make(None))  # type: ignore[misc]
    timings = alternate(candidates, rounds=rounds)
    show(f"write {title}", timings, base="MemoryStore")
    title = f"{title}, {pipeline} pipeline"
    if "zarr-sqlite" in timings:
        faster = ratio(timings, "zarr-sqlite", "zarrdb")
        wanted = 3.5 if count > 1000 else 2.0
        bound(f"write {title}", faster, "times as fast as zarr-sqlite", at_least=wanted)
    if count > 1000:
        slower = ratio(timings, "zarrdb", "MemoryStore")
        bound(f"write {title}", slower, "x the time of MemoryStore", at_most=1.6)

    memory = MemoryStore()
    write(memory)
    readers: dict[str, Callable[[], float]] = {"MemoryStore": lambda: timed_read(lambda: memory)}
    for name, make in made.items():
        store = make(None)
        write(store)
        store.close()
        path = place_of(store)
        readers[name] = lambda make=make, path=path: timed_read(lambda: make(path))  # type: ignore[misc]
    timings = alternate(readers, rounds=rounds)
    show(f"read {title}", timings, base="MemoryStore")
    base, wanted = ("MemoryStore", 1.25) if count > 1000 else ("LocalStore", 1.0)
    slower = ratio(timings, "zarrdb", base)
    bound(f"read {title}", slower, f"x the time of {base}", at_most=wanted)


def parts(folder: Path, rounds: int) -> None:
    """10 bytes of a 300 MB value, and what costs nothing to do with its size."""
    size = 300_000_000
    path = folder / "large.zarrdb"
    with SQLiteStore(path) as written:
        written.set_sync("zarr.json", PROTOTYPE.buffer.from_bytes(b"{}"))
        written.set_sync("v", PROTOTYPE.buffer.from_bytes(bytes(size)))
        written.set_sync("small", PROTOTYPE.buffer.from_bytes(b"x"))
    imported = folder / "imported.zarrdb"
    copy(path, imported)
    made = makers(iter(()))
    made.pop("LocalStore")
    for place, offset in {"start": 0, "middle": size // 2, "end": size - 10}.items():
        part = RangeByteRequest(offset, offset + 10)
        stores = {name: make(path) for name, make in made.items()}
        stores["zarrdb, imported file"] = SQLiteStore(imported, read_only=True)
        candidates = {
            name: (lambda store=store, part=part: get_part(store, part))
            for name, store in stores.items()
        }
        timings = alternate(candidates, rounds=rounds)
        show(f"10 bytes at the {place} of 300 MB", timings, base="zarrdb")
        wanted = 2 if place == "start" else 30
        taken = timings["zarrdb"].median * 1e3
        bound(f"10 bytes at the {place} of a value of 300 MB", taken, "ms", at_most=wanted)
        for name, store in stores.items():
            tracemalloc.start()
            get_part(store, part)
            print(f"  {name:<28} peak {tracemalloc.get_traced_memory()[1] / 1e6:.3f} MB")
            tracemalloc.stop()
            store.close()
    store = SQLiteStore(path)
    for question in ("exists", "getsize"):
        ask = getattr(store, question)

        def timed(key: str, ask: Any = ask) -> float:
            return ask_often(ask, key)

        timings = alternate({"300 MB": lambda: timed("v"), "1 byte": lambda: timed("small")})
        show(f"{question}, 1,000 times", timings, base="1 byte")
    store.close()


def get_part(store: Store, part: RangeByteRequest) -> float:
    start = time.perf_counter()
    value = sync(store.get("v", PROTOTYPE, part))
    taken = time.perf_counter() - start
    assert value is not None
    assert len(value) == 10
    return taken


def ask_often(ask: Any, key: str) -> float:
    async def run() -> None:
        for _ in range(1000):
            await ask(key)

    start = time.perf_counter()
    asyncio.run(run())
    return time.perf_counter() - start


def listings(folder: Path, rounds: int) -> None:
    path = folder / "many.zarrdb"
    with Database.open(path, mode="create") as database:
        database.set_many((f"a/c/{number}", b"12345678") for number in range(100_000))

    async def count(store: Store) -> int:
        return len([key async for key in store.list_prefix("a/")])

    def timed(make: Callable[[Path | None], Store]) -> float:
        store = make(path)
        start = time.perf_counter()
        assert sync(count(store)) == 100_000
        taken = time.perf_counter() - start
        store.close()
        return taken

    made = makers(iter(()))
    made.pop("LocalStore")
    candidates = {name: (lambda make=make: timed(make)) for name, make in made.items()}
    timings = alternate(candidates, rounds=rounds)
    show("list_prefix of 100,000 keys", timings, base="zarrdb")
    if "zarr-sqlite" in timings:
        faster = ratio(timings, "zarr-sqlite", "zarrdb")
        what = "list_prefix of 100,000 keys"
        bound(what, faster, "times as fast as zarr-sqlite", at_least=8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--pipeline", choices=("default", "fused", "both"), default="both")
    options = parser.parse_args()
    print(f"zarr {zarr.__version__}, medians of {options.rounds}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for pipeline in ("default", "fused"):
            if options.pipeline not in (pipeline, "both"):
                continue
            print(f"\n== {pipeline} pipeline ==")
            with zarr.config.set({"codec_pipeline.path": FUSED} if pipeline == "fused" else {}):
                for count, items in ((4000, 2048), (100, 262_144)):
                    with tempfile.TemporaryDirectory(dir=folder) as inner:
                        arrays(Path(inner), count, items, options.rounds, pipeline)
        print("\n== without arrays ==")
        parts(folder, options.rounds)
        listings(folder, options.rounds)


if __name__ == "__main__":
    main()
