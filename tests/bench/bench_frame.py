"""Blosc2 frames from afar, beside blosc2's own reader: requests, rounds, bytes, seconds.

    python tests/bench/bench_frame.py [--latency 0.02] [--dir DIR]

A float64 array of 252 MB as 30 chunks of 8 MB and as 1,920 of 128 KB, each operation cold,
opening included. `meta` are questions about the file, which an object store answers with a
request of its own, and blosc2's own counter leaves out.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import blosc2  # type: ignore[import-untyped]
import fsspec
import numpy as np
from sidebyside import bound

from zarrdb import frame
from zarrdb.transport.opening import open_reader

SHAPE = (5120, 6144)
FRAMES = {"8 MB chunks": ((1024, 1024), (64, 128)), "128 KB chunks": ((128, 128), (32, 64))}
OPERATIONS: dict[str, Any] = {
    "open": None,
    "one item": np.s_[3000:3001, 2000:2001],
    "corner 100x100": np.s_[:100, :100],
    "across 4 chunks": np.s_[974:1074, 974:1074],
    "row of chunks": np.s_[:1024],
    "every 500th item": np.s_[::500, ::500],
    "whole array": np.s_[:],
}
WANTED = {
    "open": (1, 1),
    "one item": (3, 2),
    "corner 100x100": (3, 2),
    "row of chunks": (2, 2),
}
"""Rounds at most, with the large chunks and with the small ones."""


class SlowFileSystem(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """Local files that answer late, and count what they are asked."""

    protocol = "slow"
    cachable = False
    root_marker = "/"
    latency = 0.0
    data = meta = fetched = rounds = waiting = 0
    lock = threading.Lock()

    @classmethod
    def reset(cls) -> None:
        cls.data = cls.meta = cls.fetched = cls.rounds = 0

    @classmethod
    def ask(cls, *, size: int | None) -> None:
        with cls.lock:
            cls.rounds += cls.waiting == 0
            cls.waiting += 1
            cls.meta += size is None
            cls.data += size is not None
            cls.fetched += size or 0
        time.sleep(cls.latency)
        with cls.lock:
            cls.waiting -= 1

    def info(self, path: str, **options: Any) -> dict[str, Any]:
        self.ask(size=None)
        path = self._strip_protocol(path)
        return {"name": path, "size": os.path.getsize(path), "type": "file", "ETag": path}

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **options: Any
    ) -> bytes:
        path = self._strip_protocol(path)
        span = range(os.path.getsize(path))[start:end]
        self.ask(size=len(span))
        with open(path, "rb") as file:
            file.seek(span.start)
            return file.read(len(span))


def ours(url: str, key: Any) -> Any:
    reader = open_reader(url)
    found = frame.open(reader)
    items = None if key is None else found[key]
    reader.close()
    return items


def theirs(url: str, key: Any) -> Any:
    proxy = blosc2.Proxy(blosc2.FsspecNDSource(url))
    return None if key is None else proxy[key]


def measure(read: Callable[[str, Any], Any], url: str, key: Any, latency: float) -> list[str]:
    SlowFileSystem.reset()
    SlowFileSystem.latency = latency
    start = time.perf_counter()
    read(url, key)
    taken = time.perf_counter() - start
    asked = SlowFileSystem
    counts = (asked.data, asked.meta, asked.rounds, asked.fetched)
    return [*(f"{count:,}" for count in counts), f"{taken:.3f}"]


def make(folder: Path) -> dict[str, str]:
    """The frames, as URLs; made once."""
    items = np.cumsum(np.random.default_rng(1).normal(size=SHAPE), axis=1)
    urls = {}
    for name, (chunks, blocks) in FRAMES.items():
        path = folder / f"{name.replace(' ', '-')}.b2nd"
        urls[name] = f"slow://{path}"
        if not path.exists():
            parameters = {"codec": blosc2.Codec.LZ4, "clevel": 5}
            options = {"chunks": chunks, "blocks": blocks, "cparams": parameters}
            blosc2.asarray(items, urlpath=str(path), mode="w", **options)
    return urls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--latency", type=float, default=0.02, help="seconds a request")
    parser.add_argument("--dir", type=Path, help="where the frames are kept")
    arguments = parser.parse_args()
    fsspec.register_implementation("slow", SlowFileSystem, clobber=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.dir or Path(temporary)
        for name, url in make(folder.resolve()).items():
            print(f"\n{name}, {arguments.latency * 1000:.0f} ms a request")
            columns = ("data", "meta", "rounds", "bytes", "s", "s without latency")
            print(f"{'':28}" + "".join(f"{column:>18}" for column in columns))
            for operation, key in OPERATIONS.items():
                for label, read in (("zarrdb", ours), ("blosc2", theirs)):
                    row = measure(read, url, key, arguments.latency)
                    row.append(measure(read, url, key, 0)[-1])
                    print(f"{operation:<20}{label:<8}" + "".join(f"{cell:>18}" for cell in row))
                    if label == "zarrdb" and operation in WANTED:
                        wanted = WANTED[operation][name != "8 MB chunks"]
                        what = f"frame of {name}, {operation}"
                        bound(what, int(row[2]), "rounds", at_most=wanted)


if __name__ == "__main__":
    main()
