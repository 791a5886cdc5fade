from helpers_lint import array3, fails, passes, regular

SQUARE = {"shape": [4, 4], "chunk_grid": regular(2, 2)}

FAILING = [
    fails(
        {"zarr.json": array3(**SQUARE, dimension_names=["x", "x"])},
        {"pointer": "/dimension_names/1"},
    )
]

PASSING = [
    passes({"zarr.json": array3(**SQUARE, dimension_names=names)})
    for names in (["x", "y"], [None, None], ["", ""])
]
