from helpers_lint import LITTLE, array3, fails, passes, regular

RECTILINEAR = {
    "name": "rectilinear",
    "configuration": {"kind": "inline", "chunk_shapes": [[1, 3]]},
}


def turned(inner: list[int]) -> dict[str, object]:
    configuration = {
        "chunk_shape": inner,
        "codecs": [LITTLE],
        "index_codecs": [LITTLE, {"name": "crc32c"}],
    }
    return array3(
        shape=[2, 4],
        chunk_grid=regular(2, 4),
        codecs=[
            {"name": "transpose", "configuration": {"order": [1, 0]}},
            {"name": "sharding_indexed", "configuration": configuration},
        ],
    )


FAILING = [
    fails({"zarr.json": array3(data_type="r16", fill_value=[0, 0])}, {"pointer": "/data_type"}),
    fails({"zarr.json": array3(chunk_grid=RECTILINEAR)}, {"pointer": "/chunk_grid"}),
    fails({"zarr.json": turned([4, 1])}, {"pointer": "/codecs/1"}),
]

PASSING = [passes({"zarr.json": array3()}), passes({"zarr.json": turned([2, 1])})]
