import struct
from typing import Any

import google_crc32c

from helpers_lint import LITTLE, array3, fails, passes

ABSENT = (2**64 - 1, 2**64 - 1)


def sharded(**members: object) -> dict[str, Any]:
    configuration = {
        "chunk_shape": [1],
        "codecs": [LITTLE],
        "index_codecs": [LITTLE, {"name": "crc32c"}],
        "index_location": "end",
        **members,
    }
    return array3(codecs=[{"name": "sharding_indexed", "configuration": configuration}])


def index(*pairs: tuple[int, int], seal: int = 0) -> bytes:
    data = b"".join(struct.pack("<QQ", *pair) for pair in pairs)
    return data + struct.pack("<I", google_crc32c.value(data) ^ seal)


FAILING = [
    fails({"zarr.json": sharded(), "c/0": shard}, {"node": "", "count": 1})
    for shard in (
        b"00001111" + index((0, 4), (4, 4), seal=1),
        b"00001111" + index((0, 4), (8, 4)),
        b"00001111" + index((0, 6), (4, 4)),
        b"00001111" + index((0, 4), (2**64 - 1, 4)),
        index((36, 4), (40, 4)) + b"00001111",
    )
]

BIG = [{"name": "bytes", "configuration": {"endian": "big"}}]
BIG_INDEX = struct.pack(">4Q", 0, 4, 4, 4)

PASSING = [
    passes({"zarr.json": sharded(index_codecs=BIG), "c/0": b"00001111" + BIG_INDEX}),
    passes(
        {
            "zarr.json": {**sharded(), "codecs": [*sharded()["codecs"], {"name": "crc32c"}]},
            "c/0": b"00001111" + index((0, 4), (4, 4)) + b"1234",
        }
    ),
    passes({"zarr.json": sharded(), "c/0": b"00001111" + index((0, 4), (4, 4))}),
    passes({"zarr.json": sharded(), "c/0": b"0000" + index(ABSENT, (0, 4))}),
    passes(
        {"zarr.json": sharded(index_location="start"), "c/0": index((36, 4), (40, 4)) + b"00001111"}
    ),
    passes({"zarr.json": sharded()}),
]
