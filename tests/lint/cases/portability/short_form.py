from helpers_lint import LITTLE, array3, fails, passes

FAILING = [
    fails({"zarr.json": array3(data_type={"name": "int32"})}, {"pointer": "/data_type"}),
    fails({"zarr.json": array3(chunk_key_encoding="default")}, {"pointer": "/chunk_key_encoding"}),
    fails({"zarr.json": array3(codecs=[LITTLE, "crc32c"])}, {"pointer": "/codecs/1"}),
]

PASSING = [passes({"zarr.json": array3(codecs=[LITTLE, {"name": "crc32c"}])})]
