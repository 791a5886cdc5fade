"""Reading `.zarray` documents, beside json alone and zarr-metadata.

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

from sidebyside import Timing, alternate

from zarrdb import jsontext
from zarrdb.metadata import FieldCache
from zarrdb.metadata.resolve import resolve
from zarrdb.metadata.v2 import (
    CORE_V2,
    ZarrV2CodecDefinition,
    ZarrV2DataTypeDefinition,
    ZarrV2Reader,
)
from zarrdb.metadata.v2.read_array import read_array

PEER_SHARE = 10
"""One in so many documents is read by the peer, which would take minutes for all."""

IMPORT = """
import time, typer
start = time.process_time()
import {module}
print(time.process_time() - start)
"""


def document(number: int) -> dict[str, Any]:
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


def peer_reader() -> Callable[[bytes], object] | None:
    """zarr-metadata's reader from bytes."""
    try:
        from zarr_metadata.model import ZarrV2ArrayMetadata
    except ImportError:
        return None
    read: Callable[[dict[str, bytes]], object] = ZarrV2ArrayMetadata.from_key_value
    return lambda data: read({".zarray": data})


def without_cache(values: Sequence[Any]) -> None:
    """Check every field afresh, as a single call does."""
    for value in values:
        resolve(value["dtype"], ZarrV2DataTypeDefinition, CORE_V2)
        resolve(value["compressor"], ZarrV2CodecDefinition, CORE_V2)


def with_cache(values: Sequence[Any], *, fit: bool) -> None:
    cache = FieldCache(CORE_V2)
    for value in values:
        read_array(value, cache, fit=fit, stored=True)


def from_bytes(texts: Sequence[bytes]) -> None:
    reader = ZarrV2Reader()
    for text in texts:
        reader.document_from_bytes(".zarray", text)


def each(read: Callable[[bytes], object], texts: Sequence[bytes]) -> None:
    for text in texts:
        read(text)


def show_rates(title: str, timings: dict[str, Timing], counts: dict[str, int], base: str) -> None:
    """Print documents a second, and how many times those of one candidate that is."""
    rates = {name: counts[name] / timing.median for name, timing in timings.items()}
    print(f"\n{title}")
    for name, rate in rates.items():
        print(f"  {name:<36} {rate:10,.0f} /s  {rate / rates[base]:7.2f} x {base}")


def import_seconds(module: str) -> float:
    code = IMPORT.format(module=module)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    values = [document(number) for number in range(options.documents)]
    texts = [json.dumps(value, indent=4).encode() for value in values]
    repeated = [texts[number % (len(texts) // 100 or 1)] for number in range(len(texts))]
    candidates: dict[str, Callable[[], None]] = {
        "json.loads": lambda: each(json.loads, texts),
        "jsontext.parse": lambda: each(jsontext.parse, texts),
        "two fields, no cache": lambda: without_cache(values),
        "check, known to be fit": lambda: with_cache(values, fit=True),
        "check, any values": lambda: with_cache(values, fit=False),
        "from bytes, all distinct": lambda: from_bytes(texts),
        "from bytes, 1% distinct": lambda: from_bytes(repeated),
    }
    counts = dict.fromkeys(candidates, len(texts))
    base, peer = "from bytes, all distinct", peer_reader()
    if peer is not None:
        few = texts[: len(texts) // PEER_SHARE]
        base = "zarr-metadata, from bytes"
        candidates[base] = lambda: each(peer, few)
        counts[base] = len(few)
    timings = alternate(candidates, rounds=options.rounds)
    show_rates(f"{len(texts)} .zarray of {len(texts[0])} bytes", timings, counts, base)
    imports = [import_seconds("zarrdb.metadata.v2") for _ in range(options.rounds)]
    print(f"\n  import of zarrdb.metadata.v2 after typer: {min(imports) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
