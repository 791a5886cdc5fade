"""Import, export and vacuum beside tar, cp, zip and SQLite's own VACUUM INTO.

    python tests/bench/bench_transfer.py [SECTION...] [--rounds 7] [--folder DIR]

Commands run as processes of their own, start-up included; what they write is on the disk at
the end where they promise that, and is synced where they do not. Peaks are of resident memory.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import apsw
from sidebyside import Timing, alternate, bound, ratio, show

from zarrdb.sources.directory import DirectorySource
from zarrdb.transfer.copy import CopyOptions, into_file
from zarrdb.transfer.read import Part
from zarrdb.transfer.vacuum import vacuum

ZARRDB = (sys.executable, "-m", "zarrdb")
GROUP = {"zarr_format": 3, "node_type": "group", "attributes": {}}


def array(length: int) -> dict[str, object]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [length],
        "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes"}],
        "attributes": {},
    }


def make_store(folder: Path, count: int, size: int, *, rows: int = 1) -> Path:
    """A directory store of one array with `count` chunks, in `rows` directories."""
    made = folder / f"{count}x{size}.zarr"
    if made.exists():
        return made
    source = random.Random(1)
    made.mkdir(parents=True)
    (made / "zarr.json").write_text(json.dumps(GROUP))
    (made / "a").mkdir()
    (made / "a/zarr.json").write_text(json.dumps(array(count)))
    for row in range(rows):
        chunks = made / "a/c" / str(row) if rows > 1 else made / "a/c"
        chunks.mkdir(parents=True)
        for column in range(count // rows):
            (chunks / str(column)).write_bytes(source.randbytes(size))
    os.sync()
    return made


def run(*command: str | Path) -> int:
    """Run a command; its peak of resident memory in KiB.

    Python keeps what it compiled, as it does in an installation.
    """
    env = {**os.environ, "PYTHONPYCACHEPREFIX": f"{tempfile.gettempdir()}/zarrdb-bench-compiled"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=env)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return usage.ru_maxrss


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def timed(action: Callable[[], object], *products: Path) -> Callable[[], float]:
    """The action as a candidate whose products are removed before and after it."""

    def once() -> float:
        for product in products:
            remove(product)
        start = time.perf_counter()
        action()
        taken = time.perf_counter() - start
        for product in products:
            remove(product)
        return taken

    return once


def bench_import(folder: Path, rounds: int, count: int, size: int) -> None:
    store = make_store(folder, count, size)
    tar, file, copy, archive = (folder / name for name in ("t.tar", "t.zarrdb", "t.copy", "t.zip"))

    def by_tar() -> None:
        run("tar", "cf", tar, "-C", folder, store.name)
        run("sync", tar)

    candidates = {
        "tar cf, sync": timed(by_tar, tar),
        "zarrdb import": timed(lambda: run(*ZARRDB, "import", store, file), file),
        "cp -r": timed(lambda: run("cp", "-r", store, copy), copy),
    }
    if shutil.which("zip"):
        zipped = ("zip", "-0", "-q", "-r", archive, store)
        candidates["zip -0 -r"] = timed(lambda: run(*zipped), archive)
    timings = alternate(candidates, rounds=rounds)
    what = f"import of {count:,} chunks of {size // 1024:,} KiB"
    show(what, timings, base="tar cf, sync")
    for base, wanted in (("tar cf, sync", 1.5), ("cp -r", 1.0), ("zip -0 -r", 1.0)):
        compare(what, timings, "zarrdb import", base, wanted)
    peak(what, lambda: run(*ZARRDB, "import", store, file), file)


def bench_export(folder: Path, rounds: int, count: int, size: int) -> None:
    store = make_store(folder, count, size)
    tar, file = folder / "source.tar", folder / "source.zarrdb"
    remove(file)
    run("tar", "cf", tar, "-C", folder, store.name)
    run(*ZARRDB, "import", store, file)
    unpacked, exported = folder / "unpacked", folder / "exported"

    def by_tar() -> None:
        unpacked.mkdir()
        run("tar", "xf", tar, "-C", unpacked)

    what = f"export of {count:,} chunks of {size // 1024:,} KiB to a directory"
    timings = alternate(
        {
            "tar xf": timed(by_tar, unpacked),
            "zarrdb export": timed(lambda: run(*ZARRDB, "export", file, exported), exported),
        },
        rounds=rounds,
    )
    show(what, timings, base="tar xf")
    compare(what, timings, "zarrdb export", "tar xf", 1.5)
    peak(what, lambda: run(*ZARRDB, "export", file, exported), exported)
    for leftover in (tar, file):
        remove(leftover)


class SlowDirectory(DirectorySource):
    """A directory whose every open takes a millisecond more, as over a network."""

    def get(self, key: str) -> bytes | None:
        time.sleep(0.001)
        return super().get(key)

    def get_listed(self, entries: Iterable[tuple[str, int]]) -> Iterator[tuple[str, bytes | None]]:
        return ((key, self.get(key)) for key, _ in entries)


def bench_latency(folder: Path, rounds: int) -> None:
    store = make_store(folder, 4000, 8192)
    file = folder / "t.zarrdb"

    def serial() -> None:
        source = SlowDirectory(store)
        for entry in source.entries():
            source.get(entry.key)

    def ahead() -> None:
        into_file([Part(SlowDirectory(store))], str(file), CopyOptions())

    timings = alternate(
        {"serial reading alone": timed(serial), "import": timed(ahead, file)}, rounds=rounds
    )
    what = "import of 4,000 chunks of 8 KiB, each open 1 ms slower"
    show(what, timings, base="import")
    faster = ratio(timings, "serial reading alone", "import")
    bound(what, faster, "times as fast as a serial reader", at_least=4)


def bench_million(folder: Path, rounds: int) -> None:
    few = make_store(folder, 100_000, 16, rows=100)
    many = make_store(folder, 1_000_000, 16, rows=1000)
    file = folder / "t.zarrdb"
    timings = alternate(
        {
            "100,000": timed(lambda: run(*ZARRDB, "import", few, file), file),
            "1,000,000": timed(lambda: run(*ZARRDB, "import", many, file), file),
        },
        rounds=rounds,
    )
    show("import of 1,000,000 keys and of 100,000", timings, base="100,000")
    more = ratio(timings, "1,000,000", "100,000")
    bound("import of 1,000,000 keys", more, "x the time of 100,000", at_most=12)
    peak("import of 1,000,000 keys", lambda: run(*ZARRDB, "import", many, file), file)
    run(*ZARRDB, "import", many, file)
    exported, again = folder / "exported", folder / "again.zarrdb"
    peak("export of 1,000,000 keys", lambda: run(*ZARRDB, "export", file, exported), exported)
    vacuum = (*ZARRDB, "vacuum", "--force", file, "-o", again)
    peak("vacuum of 1,000,000 keys", lambda: run(*vacuum), again)
    remove(file)


def bench_large(folder: Path) -> None:
    store = make_store(folder, 1, 900 << 20)
    file, exported, again = folder / "t.zarrdb", folder / "exported", folder / "again.zarrdb"
    peak("import of a value of 900 MiB", lambda: run(*ZARRDB, "import", store, file), file)
    run(*ZARRDB, "import", store, file)
    peak("export of a value of 900 MiB", lambda: run(*ZARRDB, "export", file, exported), exported)
    vacuum = (*ZARRDB, "vacuum", "--force", file, "-o", again)
    peak("vacuum of a value of 900 MiB", lambda: run(*vacuum), again)
    remove(file)


def bench_vacuum(folder: Path, rounds: int, count: int, size: int) -> None:
    store = make_store(folder, count, size)
    aged, new = folder / "aged.zarrdb", folder / "new.zarrdb"
    remove(aged)
    age(store, aged)
    script = (
        "import apsw, sys; connection = apsw.Connection(sys.argv[1]);"
        " connection.execute('VACUUM INTO ?', (sys.argv[2],)).fetchall()"
    )
    by_sqlite = (sys.executable, "-c", script, aged, new)
    by_zarrdb = (*ZARRDB, "vacuum", aged, "-o", new)

    def in_this_process() -> None:
        vacuum(str(aged), CopyOptions(), output=str(new))

    what = f"vacuum of {count:,} chunks of {size // 1024:,} KiB in random order"
    timings = alternate(
        {
            "VACUUM INTO": timed(lambda: run(*by_sqlite), new),
            "zarrdb vacuum": timed(lambda: run(*by_zarrdb), new),
            "without starting zarrdb": timed(in_this_process, new),
        },
        rounds=rounds,
    )
    show(what, timings, base="VACUUM INTO")
    compare(what, timings, "zarrdb vacuum", "VACUUM INTO", 1.3)
    peak("VACUUM INTO", lambda: run(*by_sqlite), new)
    peak(what, lambda: run(*by_zarrdb), new)
    remove(aged)


def age(store: Path, file: Path) -> None:
    """A file with the keys of a store in random order."""
    run(*ZARRDB, "import", store, file)
    connection = apsw.Connection(str(file))
    keys = [key for (key,) in connection.execute("SELECT k FROM zarr")]
    random.Random(2).shuffle(keys)
    with connection:
        connection.execute("CREATE TEMP TABLE old AS SELECT * FROM zarr")
        connection.execute("DELETE FROM zarr")
        connection.executemany(
            "INSERT INTO zarr SELECT k, v FROM old WHERE k = ?", ((key,) for key in keys)
        )
    connection.close()


def compare(what: str, timings: Mapping[str, Timing], name: str, base: str, wanted: float) -> None:
    if base in timings:
        bound(what, ratio(timings, name, base), f"x the time of {base}", at_most=wanted)


def peak(title: str, measure: Callable[[], int], product: Path) -> None:
    remove(product)
    used = measure() * 1024 / 1e6
    if title.startswith("VACUUM"):
        print(f"  peak memory, {title}: {used:.0f} MB")
    else:
        bound(f"peak memory, {title}", used, "MB", at_most=150)
    remove(product)


def main() -> None:
    sections: dict[str, Callable[[Path, int], None]] = {
        "import-small": lambda folder, rounds: bench_import(folder, rounds, 20_000, 8192),
        "import-large": lambda folder, rounds: bench_import(folder, rounds, 600, 1 << 20),
        "export-small": lambda folder, rounds: bench_export(folder, rounds, 20_000, 8192),
        "export-large": lambda folder, rounds: bench_export(folder, rounds, 600, 1 << 20),
        "latency": bench_latency,
        "vacuum-small": lambda folder, rounds: bench_vacuum(folder, rounds, 20_000, 8192),
        "vacuum-large": lambda folder, rounds: bench_vacuum(folder, rounds, 600, 1 << 20),
        "million": lambda folder, rounds: bench_million(folder, min(rounds, 3)),
        "large-value": lambda folder, rounds: bench_large(folder),
    }
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(sections)}; default: all")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", type=Path, help="keeps the stores for the next time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="zarrdb-bench-") as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.sections or sections:
            sections[name](folder, arguments.rounds)


if __name__ == "__main__":
    main()
