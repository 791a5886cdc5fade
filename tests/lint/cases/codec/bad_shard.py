from helpers_lint import LITTLE, array3, fails, passes

GZIP = {"name": "gzip", "configuration": {"level": 1}}


def sharded(**members: object) -> dict[str, object]:
    configuration = {
        "chunk_shape": [1],
        "codecs": [LITTLE],
        "index_codecs": [LITTLE, {"name": "crc32c"}],
        **members,
    }
    return array3(codecs=[{"name": "sharding_indexed", "configuration": configuration}])


FAILING = [
    fails({"zarr.json": sharded(chunk_shape=[3])}),
    fails({"zarr.json": sharded(index_codecs=[LITTLE, GZIP])}),
    fails({"zarr.json": sharded(index_location="middle")}),
]

PASSING = [passes({"zarr.json": sharded()}), passes({"zarr.json": sharded(index_location="start")})]
