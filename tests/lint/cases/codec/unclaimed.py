from helpers_lint import LITTLE, array2, array3, fails, passes

FAILING = [
    fails(
        {".zarray": array2(compressor={"id": "imagecodecs_tiff"})},
        {"pointer": "/compressor", "level": "info", "hint": "the package imagecodecs has it"},
    ),
    fails({".zarray": array2(compressor={"id": "bloscc"})}, {"hint": "did you mean blosc?"}),
]

FAILING += [
    fails(
        {"zarr.json": array3(codecs=[LITTLE, {"name": "numcodecs.pcodec"}])},
        {"pointer": "/codecs/1"},
    ),
    fails({"zarr.json": array3(codecs=[LITTLE, {"name": "gzib"}])}, {"hint": "did you mean gzip?"}),
]

PASSING = [passes({".zarray": array2(compressor={"id": "blosc"})})]
