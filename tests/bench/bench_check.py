"""`zarrdb check` beside its peers: documents, decoded chunks, and memory.

    python tests/bench/bench_check.py [--arrays 10000] [--rounds 7] [--keys 1000000] [--mib 512]

Whole processes, start-up included, medians of alternating runs. Exits with 1 past a bound.
zarr-lint is looked for beside this interpreter and on the PATH, and left out where it is not.
"""

import argparse
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from sidebyside import Timing, alternate, bound, ratio, show

ENVIRONMENT: Final = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
"""Everything is compiled, as it is once installed."""

MAX_RATIO: Final = {"1 % distinct": 1.0, "all distinct": 2.0}
MAX_DATA_RATIO: Final = {"zstd": 1.1, "blosc": 1.1, "gzip": 1.25}
MAX_MEMORY_GROWTH: Final = 16 << 20

READ_ALL: Final = """
import os, sys, zarr
zarr.config.set({"threading.max_workers": os.cpu_count(), "async.concurrency": 64})
for _, array in zarr.open_group(sys.argv[1], mode="r").arrays():
    array[...]
"""


def zarrdb(*arguments: object) -> list[str]:
    return [str(Path(sys.executable).with_name("zarrdb")), *map(str, arguments)]


def runs(command: list[str]) -> Callable[[], None]:
    def run() -> None:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, env=ENVIRONMENT, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{command}: exit code {done.returncode}")

    return run


def documents(arrays: int, distinct: int) -> Iterator[tuple[str, bytes]]:
    """Keys and documents of a v2 hierarchy; so many arrays and attributes are different."""

    def text(value: dict[str, Any]) -> bytes:
        return json.dumps(value).encode()

    yield ".zgroup", text({"zarr_format": 2})
    for number in range(arrays):
        if number % 100 == 0:
            yield f"g{number // 100:04}/.zgroup", text({"zarr_format": 2})
        path, kind = f"g{number // 100:04}/a{number % 100:02}", number % distinct
        array = {
            "zarr_format": 2,
            "shape": [1000 + kind, 512],
            "chunks": [100, 128],
            "dtype": ("<f4", "<f8", "<i2", "|u1")[kind % 4],
            "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1},
            "fill_value": kind % 100,
            "order": "C",
            "filters": None,
        }
        yield f"{path}/.zarray", text(array)
        yield f"{path}/.zattrs", text({"units": "K", "long_name": f"variable {kind}"})


def write_file(path: Path, rows: Iterator[tuple[str, bytes]]) -> None:
    subprocess.run(zarrdb("init", path), check=True, stdout=subprocess.DEVNULL)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM zarr")
        connection.executemany("INSERT INTO zarr(k, v) VALUES (?, ?)", rows)
    connection.close()


def write_directory(path: Path, rows: Iterator[tuple[str, bytes]]) -> None:
    for key, value in rows:
        target = path / key
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(value)


def bench_documents(folder: Path, arrays: int, rounds: int) -> bool:
    beside = Path(sys.executable).with_name("zarr-lint")
    peer = str(beside) if beside.exists() else shutil.which("zarr-lint")
    good = True
    for name, distinct in (("1 % distinct", arrays // 100), ("all distinct", arrays)):
        file, tree = folder / f"{distinct}.zarrdb", folder / f"{distinct}.zarr"
        write_file(file, documents(arrays, distinct))
        candidates = {"zarrdb check": runs(zarrdb("check", "--no-integrity", file))}
        base = "zarrdb check"
        if peer is not None:
            write_directory(tree, documents(arrays, distinct))
            base = "zarr-lint"
            candidates[base] = runs([peer, str(tree)])
        timings = alternate(candidates, rounds=rounds)
        what = f"check of {2 * arrays:,} documents, {name}"
        show(what, timings, base=base)
        good &= within(what, timings, base, MAX_RATIO[name])
    return good


def bench_data(folder: Path, mib: int, rounds: int) -> bool:
    """All chunks decoded, beside zarr-python reading every array on as many threads."""
    import numpy
    import zarr
    from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec

    codecs: dict[str, Any] = {"zstd": ZstdCodec(), "blosc": BloscCodec(), "gzip": GzipCodec()}
    values = numpy.random.default_rng(0).normal(size=(mib, 1 << 17)).round(1)
    good = True
    for name, codec in codecs.items():
        tree = folder / f"{name}.zarr"
        group = zarr.open_group(str(tree), mode="w")
        for part in range(4):
            group.create_array(
                f"a{part}", data=values[part::4], chunks=(1, 1 << 17), compressors=codec
            )
        candidates = {
            "zarrdb check --data": runs(zarrdb("check", "--data", tree)),
            "zarr-python": runs([sys.executable, "-c", READ_ALL, str(tree)]),
        }
        timings = alternate(candidates, rounds=rounds)
        what = f"check --data of {mib} MiB in chunks of 1 MiB, {name}"
        show(what, timings, base="zarr-python")
        good &= within(what, timings, "zarr-python", MAX_DATA_RATIO[name])
    return good


def within(what: str, timings: dict[str, Timing], base: str, wanted: float) -> bool:
    ours = next(iter(timings))
    if ours == base:
        return True
    return bound(what, ratio(timings, ours, base), f"x the time of {base}", at_most=wanted)


def peak(command: list[str]) -> int:
    """Bytes of memory that a command takes at most."""
    read, write = os.pipe()
    if os.fork() == 0:
        runs(command)()
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        os.write(write, str(used * (1 if sys.platform == "darwin" else 1024)).encode())
        os._exit(0)
    os.wait()
    return int(os.read(read, 100))


def bench_memory(folder: Path, keys: int) -> bool:
    """Stray keys, far more and few."""
    used = {}
    for count in (keys // 100, keys):
        file = folder / f"{count} stray.zarrdb"
        write_file(file, ((f"x/stray {number:09}.bak", b"") for number in range(count)))
        used[count] = peak(zarrdb("check", "--no-integrity", file))
        print(f"  {count:>12,} stray keys: {used[count] / 2**20:.1f} MiB")
    more = (used[keys] - used[keys // 100]) / 1e6
    what = f"check, memory for {keys:,} stray keys beyond that for {keys // 100:,}"
    return bound(what, more, "MB", at_most=MAX_MEMORY_GROWTH / 1e6)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arrays", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--mib", type=int, default=512)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = [
            bench_documents(folder, wanted.arrays, wanted.rounds),
            # Before numpy is here: a process begins as a copy of this one.
            bench_memory(folder, wanted.keys),
            bench_data(folder, wanted.mib, wanted.rounds),
        ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
