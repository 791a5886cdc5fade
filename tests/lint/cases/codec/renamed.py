from helpers_lint import array3, fails, passes

FAILING = [
    fails(
        {"zarr.json": array3(codecs=[{"name": "endian", "configuration": {"endian": "little"}}])},
        {"pointer": "/codecs/0", "level": "warning"},
    )
]

PASSING = [passes({"zarr.json": array3()})]
