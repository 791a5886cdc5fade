from helpers_lint import array2, fails, passes

FAILING = [
    fails(
        {".zarray": array2(compressor={"id": "imagecodecs_tiff"})},
        {"pointer": "/compressor", "level": "info", "hint": "the package imagecodecs has it"},
    ),
    fails({".zarray": array2(compressor={"id": "bloscc"})}, {"hint": "did you mean blosc?"}),
]

PASSING = [passes({".zarray": array2(compressor={"id": "blosc"})})]
