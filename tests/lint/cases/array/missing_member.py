from helpers_lint import array2, array3, fails, passes

REQUIRED = ("shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters")

FAILING = [
    fails({".zarray": array2(**{name: ...})}, {"key": ".zarray", "pointer": f"/{name}"})
    for name in REQUIRED
] + [fails({".zarray": array2(zarr_format=...)}, {"line": 1, "column": 1})]

FAILING += [
    fails({"zarr.json": array3(**{name: ...})}, {"pointer": f"/{name}"})
    for name in (
        "shape",
        "data_type",
        "chunk_grid",
        "chunk_key_encoding",
        "fill_value",
        "codecs",
        "zarr_format",
    )
]

PASSING = [
    passes({".zarray": array2()}),
    passes({".zarray": array2(dimension_separator="/")}),
    passes({".zarray": array2(fill_value=None)}),
]

PASSING += [
    passes({"zarr.json": array3(attributes=...)}),
]
