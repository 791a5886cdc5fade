"""Reading `.zarray` and `zarr.json` documents, beside json alone and zarr-metadata.

    python tests/bench/bench_metadata.py [--documents 20000] [--rounds 7]

zarr-metadata is left out where it is missing; it reads a tenth of the documents.
"""

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from sidebyside import Timing, alternate, bound

from zarrdb import jsontext
from zarrdb.metadata.resolve import resolve
from zarrdb.metadata.v2 import (
    CORE_V2,
    ZarrV2CodecDefinition,
    ZarrV2DataTypeDefinition,
    ZarrV2Reader,
)
from zarrdb.metadata.v3 import ZarrV3Reader

PEER_SHARE = 10
"""One in so many documents is read by the peer, which would take minutes for all."""

IMPORT = """
import time, typer
start = time.process_time()
import {before}
middle = time.process_time()
import {module}
print(time.process_time() - {since})
"""

READERS: dict[str, Callable[[], Any]] = {".zarray": ZarrV2Reader, "zarr.json": ZarrV3Reader}


def document_v2(number: int) -> dict[str, Any]:
    """An array of the usual kind, another one for each number."""
    choose = random.Random(number).choice
    level = number % 9 + 1
    compressors = [
        {"blocksize": 0, "clevel": level, "cname": "lz4", "id": "blosc", "shuffle": 1},
        {"id": "zlib", "level": level},
        {"id": "zstd", "level": level},
    ]
    return {
        "chunks": [number % 1000 + 1, 100],
        "compressor": choose(compressors),
        "dtype": choose(["<f4", "<f8", "<i2", "|u1", ">i4"]),
        "fill_value": number % 100,
        "filters": None,
        "order": "C",
        "shape": [number, number % 7919 + 1],
        "zarr_format": 2,
    }


def document_v3(number: int) -> dict[str, Any]:
    """The same in v3, as zarr-python writes it."""
    choose = random.Random(number).choice
    level = number % 9 + 1
    blosc = {"cname": "lz4", "clevel": level, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}
    compressors = [
        {"name": "blosc", "configuration": blosc},
        {"name": "gzip", "configuration": {"level": level}},
        {"name": "zstd", "configuration": {"level": level, "checksum": False}},
    ]
    chunks = {"chunk_shape": [number % 1000 + 1, 100]}
    return {
        "shape": [number, number % 7919 + 1],
        "data_type": choose(["float32", "float64", "int16", "uint8", "int32"]),
        "chunk_grid": {"name": "regular", "configuration": chunks},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": number % 100,
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}},
            choose(compressors),
        ],
        "attributes": {},
        "zarr_format": 3,
        "node_type": "array",
        "storage_transformers": [],
    }


DOCUMENTS = {".zarray": document_v2, "zarr.json": document_v3}


def peer_reader(name: str) -> Callable[[bytes], object] | None:
    """zarr-metadata's reader from bytes."""
    try:
        from zarr_metadata.model import ZarrV2ArrayMetadata, ZarrV3ArrayMetadata
    except ImportError:
        return None
    model: Any = ZarrV2ArrayMetadata if name == ".zarray" else ZarrV3ArrayMetadata
    return lambda data: model.from_key_value({name: data})


def without_cache(values: Sequence[Any]) -> None:
    """Check every field afresh, as a single call does."""
    for value in values:
        resolve(value["dtype"], ZarrV2DataTypeDefinition, CORE_V2)
        resolve(value["compressor"], ZarrV2CodecDefinition, CORE_V2)


def with_cache(name: str, values: Sequence[Any], *, fit: bool) -> None:
    reader = READERS[name]()
    for value in values:
        reader.document(name, value, fit=fit)


def from_bytes(name: str, texts: Sequence[bytes]) -> None:
    reader = READERS[name]()
    for text in texts:
        reader.document_from_bytes(name, text)


def each(read: Callable[[bytes], object], texts: Sequence[bytes]) -> None:
    for text in texts:
        read(text)


def show_rates(title: str, timings: dict[str, Timing], counts: dict[str, int], base: str) -> None:
    """Print documents a second, and how many times those of one candidate that is."""
    rates = {name: counts[name] / timing.median for name, timing in timings.items()}
    print(f"\n{title}")
    for name, rate in rates.items():
        print(f"  {name:<36} {rate:10,.0f} /s  {rate / rates[base]:7.2f} x {base}")


def import_milliseconds(module: str, before: str = "typer") -> float:
    """The least time that an import takes after another one."""
    since = "start" if before == "typer" else "middle"
    code = IMPORT.format(module=module, before=before, since=since)
    run = [sys.executable, "-c", code]
    times = [
        float(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
        for _ in range(7)
    ]
    return min(times) * 1e3


def measure(name: str, count: int, rounds: int) -> None:
    """The documents of one name, read in every way."""
    values = [DOCUMENTS[name](number) for number in range(count)]
    texts = [json.dumps(value, indent=4).encode() for value in values]
    repeated = [texts[number % (len(texts) // 100 or 1)] for number in range(len(texts))]
    candidates: dict[str, Callable[[], None]] = {
        "json.loads": lambda: each(json.loads, texts),
        "jsontext.parse": lambda: each(jsontext.parse, texts),
        "check, known to be fit": lambda: with_cache(name, values, fit=True),
        "check, any values": lambda: with_cache(name, values, fit=False),
        "from bytes, all distinct": lambda: from_bytes(name, texts),
        "from bytes, 1% distinct": lambda: from_bytes(name, repeated),
    }
    if name == ".zarray":
        candidates["two fields, no cache"] = lambda: without_cache(values)
    counts = dict.fromkeys(candidates, len(texts))
    base, peer = "from bytes, all distinct", peer_reader(name)
    if peer is not None:
        few = texts[: len(texts) // PEER_SHARE]
        base = "zarr-metadata, from bytes"
        candidates[base] = lambda: each(peer, few)
        counts[base] = len(few)
    timings = alternate(candidates, rounds=rounds)
    show_rates(f"{len(texts)} {name} of {len(texts[0])} bytes", timings, counts, base)
    if peer is not None:
        ours = "from bytes, all distinct"
        faster = timings[base].median / counts[base] * counts[ours] / timings[ours].median
        bound(
            f"distinct {name} documents read", faster, "times as fast as zarr-metadata", at_least=3
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    for name in DOCUMENTS:
        measure(name, options.documents, options.rounds)
    v2, v3 = "zarrdb.metadata.v2", "zarrdb.metadata.v3"
    print(f"\n  import of {v2} after typer: {import_milliseconds(v2):.1f} ms")
    print(f"  import of {v3} after {v2}: {import_milliseconds(v3, v2):.1f} ms")


if __name__ == "__main__":
    main()
