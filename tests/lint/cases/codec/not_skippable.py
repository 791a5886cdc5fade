from helpers_lint import LITTLE, array3, fails, passes, regular

OFF = {"must_understand": False}

FAILING = [
    fails({"zarr.json": array3(codecs=[{**LITTLE, **OFF}])}),
    fails({"zarr.json": array3(chunk_grid={**regular(2), **OFF})}),
    fails({"zarr.json": array3(data_type={"name": "int32", **OFF})}),
]

PASSING = [passes({"zarr.json": array3(codecs=[{**LITTLE, "must_understand": True}])})]
