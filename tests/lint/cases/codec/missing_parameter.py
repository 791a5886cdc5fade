from helpers_lint import LITTLE, array2, array3, fails, passes

FAILING = [
    fails({".zarray": array2(filters=[{"id": "delta"}])}, {"pointer": "/filters/0/dtype"}),
]

FAILING += [
    fails({"zarr.json": array3(codecs=[{"name": "bytes"}])}),
    fails({"zarr.json": array3(codecs=[LITTLE, {"name": "gzip", "configuration": {}}])}),
]

PASSING = [passes({".zarray": array2(filters=[{"id": "delta", "dtype": "<i4"}])})]

PASSING += [
    passes({"zarr.json": array3(data_type="uint8", codecs=[{"name": "bytes"}])}),
]
