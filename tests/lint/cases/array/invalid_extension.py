from helpers_lint import array3, fails, passes


def encoding(separator: object) -> dict[str, object]:
    return {"name": "default", "configuration": {"separator": separator}}


FAILING = [
    fails({"zarr.json": array3(chunk_grid={"name": "regular"})}),
    fails({"zarr.json": array3(chunk_grid={"name": "regular", "configuration": {}})}),
    fails({"zarr.json": array3(chunk_grid=None)}, {"pointer": "/chunk_grid"}),
    fails({"zarr.json": array3(chunk_key_encoding=encoding("_"))}),
    fails({"zarr.json": array3(chunk_key_encoding={"configuration": {}})}),
]

PASSING = [
    passes({"zarr.json": array3(chunk_key_encoding=encoding("."))}),
    passes({"zarr.json": array3(chunk_key_encoding={"name": "v2"})}),
]
