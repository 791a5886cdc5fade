from helpers_lint import array3, fails, passes

FAILING = [
    fails(
        {"zarr.json": array3(chunk_grid={"name": "hexagonal", "configuration": {}})},
        {"pointer": "/chunk_grid", "level": "info"},
    ),
    fails({"zarr.json": array3(chunk_key_encoding={"name": "fanout"})}, {"level": "info"}),
]

PASSING = [passes({"zarr.json": array3()})]
